"""Every picture that the docs show is there, is shown, and is small."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
MOST_BYTES = 150_000
PICTURE = re.compile(r"!\[([^\]]+)\]\(([^)\s]+)\)")


def shown():
    """Pictures by page, with their descriptions."""
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for description, target in PICTURE.findall(page.read_text(encoding="utf-8")):
            if "://" not in target:
                yield page, description, (page.parent / target).resolve()


def test_pictures_are_there_described_and_small():
    found = list(shown())
    assert len(found) > 10
    for page, description, target in found:
        assert target.is_file(), f"{page.name} shows {target.name}, which is not there"
        assert len(description) > 2
        assert target.stat().st_size < MOST_BYTES, target.name


def test_no_picture_is_left_over():
    used = {target.name for _, _, target in shown()}
    assert {path.name for path in (ROOT / "docs" / "images").iterdir()} == used


def test_drawn_pictures_ask_nothing_of_the_network():
    for path in (ROOT / "docs" / "images").glob("*.svg"):
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/", "")
        assert not re.search(r"(?:src|href)=\"https?:|url\(\"?https?:|@import", text), path.name
