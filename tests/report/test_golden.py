"""Every format against its golden file.

``ABOTN_WRITE_GOLDEN=1 python -m pytest tests/report/test_golden.py`` writes them anew; look at the
difference before keeping it.
"""

import os
import re
from math import nan
from pathlib import Path

import pytest

from abotn.plugins.manager import PluginManager
from abotn.report import ReportOptions, build_report
from abotn.report.formats import ReportFormat
from abotn.report.page_sources import ReportSources
from abotn.report.plugin import FORMATS
from abotn.report.significance import PairedTest, Significance

GOLDEN = Path(__file__).parent / "golden"
PLAIN = ReportOptions()
PAPER = ReportOptions(
    percent=True,
    intervals="plus-minus",
    groups="columns",
    second=True,
    published="pointbench-outdoor",
    display_names={"success": "SR"},
)


MARKED = ReportOptions(
    groups="none",
    significance=Significance(
        "random",
        {
            ("planner", "success"): PairedTest(0.0004, "mcnemar_exact", "40 tasks"),
            ("straight_line", "success"): PairedTest(0.2, "mcnemar_exact", "38 tasks"),
            ("planner", "collision_length"): PairedTest(0.001, "sign_flip_exact", "40 tasks"),
            ("straight_line", "collision_length"): PairedTest(nan, "none", "0 tasks"),
        },
        untested={"success_new": "its parameters are not the same in all runs"},
    ),
)


ASSETS = re.compile(rb"<(style|script)>.*?</\1>|content=\"default-src[^\"]*\"", re.DOTALL)


def compare(content, name):
    """Compare with the golden file; the page's own style and script have tests of their own."""
    target = GOLDEN / name
    content = (
        ASSETS.sub(b"", content) if name.endswith(".html") and ".tables" not in name else content
    )
    if os.environ.get("ABOTN_WRITE_GOLDEN"):
        target.write_bytes(content)
    assert content == target.read_bytes()


@pytest.mark.parametrize("kind", FORMATS, ids=lambda kind: kind.name)
@pytest.mark.parametrize(
    ("options", "name"), [(PLAIN, "three"), (PAPER, "paper"), (MARKED, "marked")]
)
def test_three_runs(kind, options, name, three_runs):
    report = build_report(three_runs, options)
    content = kind.content(report, ReportSources(options=options))
    compare(content, f"{name}{kind.suffix}")


@pytest.mark.parametrize("kind", FORMATS, ids=lambda kind: kind.name)
def test_awkward_names(kind, awkward_runs):
    report = build_report(awkward_runs, ReportOptions(groups="none"))
    compare(kind.content(report), f"awkward{kind.suffix}")


@pytest.mark.parametrize("kind", FORMATS, ids=lambda kind: kind.name)
def test_the_same_input_gives_the_same_bytes(kind, three_runs):
    contents = {kind.content(build_report(list(three_runs), PAPER)) for _ in range(3)}
    assert len(contents) == 1
    assert b"\r" not in contents.pop()


def test_the_formats_come_through_the_hook():
    offers = PluginManager(discover=False).offers("abotn_report_formats")
    assert [offer.value for offer in offers] == list(FORMATS)
    assert len({kind.suffix for kind in FORMATS}) == len(FORMATS)


def test_a_format_may_write_bytes(three_runs):
    kind = ReportFormat("count", ".bin", "How many tables.", lambda r: bytes([len(r.tables)]))
    assert kind.content(build_report(three_runs)) == b"\x04"
