"""Every format of a comparison against its golden file.

``ABOTN_WRITE_GOLDEN=1 python -m pytest tests/report/page/test_comparison_golden.py`` writes them
anew; look at the difference before keeping it.
"""

import json
import os
import re
from pathlib import Path

import pytest

from abotn.report.comparison_page import write_comparison_page
from abotn.report.comparison_tables import comparison_report
from abotn.report.plugin import FORMATS

GOLDEN = Path(__file__).parents[1] / "golden"
ASSETS = re.compile(r"<(style|script)>.*?</\1>|content=\"default-src[^\"]*\"", re.DOTALL)
LONG_NUMBERS = re.compile(r"\d+\.\d{9,}")
PICTURES = re.compile(r"data:image/webp;base64,[A-Za-z0-9+/=]*")


@pytest.fixture(scope="module")
def two(parts, tmp_path_factory):
    """Two runs with awkward names, made in a folder whose name is in none of the files."""
    folder = tmp_path_factory.mktemp("golden")
    first, second = parts.pair(folder, names=("a_b <i>&", "ש | 导航 #1"))
    made, sources = parts.compared(first, second, metrics=["success", "spl"])
    return made, sources, str(folder)


def rounded(found):
    """The last digits of a number are the processor's business."""
    return f"{float(found.group()):.6f}"


def compare(text, name):
    target = GOLDEN / name
    if os.environ.get("ABOTN_WRITE_GOLDEN"):
        target.write_text(text, encoding="utf-8", newline="\n")
    assert text == target.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "form", [one for one in FORMATS if one.name not in ("html", "json")], ids=lambda one: one.name
)
def test_tables(form, two):
    comparison, sources, _ = two
    content = form.content(comparison_report(comparison, None, sources)).decode("utf-8")
    compare(LONG_NUMBERS.sub(rounded, content), f"comparison{form.suffix}")


def test_json(two):
    document = json.loads(two[0].to_json())
    assert document["provenance"].pop("abotn")
    text = json.dumps(document, indent=1, ensure_ascii=False).replace(two[2], "FOLDER")
    compare(LONG_NUMBERS.sub(rounded, text), "comparison.json")


def test_page(two):
    """The page's own style and script, and how its map is packed, have tests of their own."""
    page = ASSETS.sub("", write_comparison_page(two[0], two[1])).replace(two[2], "FOLDER")
    compare(PICTURES.sub("MAP", page), "comparison.html")
