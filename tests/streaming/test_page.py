"""The documentation page runs as written."""

import doctest
import importlib
import re

import pytest


def test_the_page_runs_from_top_to_bottom(repository, tmp_path, monkeypatch, capsys):
    page = (repository / "docs" / "streaming.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    assert len(blocks) >= 6
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "docs/streaming.md", "exec"), names)
    auroc, _, table = capsys.readouterr().out.partition("\n")
    # JPEG blurs the red rectangles, so the model that likes red is good but not perfect.
    assert 0.9 < float(auroc) < 1.0
    assert "| auroc |" in table
    assert (tmp_path / "anomaly.json").exists()


def test_the_model_loop_has_ten_lines(repository):
    page = (repository / "docs" / "streaming.md").read_text(encoding="utf-8")
    loop = next(
        block
        for block in re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
        if "evaluator.update" in block
    )
    assert len([line for line in loop.splitlines() if line]) <= 10


@pytest.mark.parametrize(
    "name",
    [
        "contract",
        "curves",
        "dataset",
        "draws",
        "known_answers",
        "pixel",
        "point",
        "scenario",
        "stored_places",
    ],
)
def test_examples_in_docstrings_are_right(name):
    found = doctest.testmod(importlib.import_module(f"abotn.streaming.{name}"))
    assert found.attempted > 0
    assert found.failed == 0
