import json
import re

import pytest

from abotn.cli.main import run_command_line


@pytest.fixture
def command(capfdbinary):
    """Runs ``abotn report`` and returns exit code, stdout and stderr."""

    def run(*arguments):
        code = run_command_line(["report", *map(str, arguments)])
        out, err = capfdbinary.readouterr()
        return code, out.decode(), err.decode()

    return run


def data(page):
    return json.loads(re.findall(r'id="data">(.*?)</script>', page)[0])


def test_a_run_folder_becomes_a_page(command, run_folder, tmp_path, parts):
    target = tmp_path / "report.html"
    code, out, err = command(run_folder, "-o", target, "--title", "My runs", "--percent")
    assert (code, out, err) == (0, f"{target}\n", "")
    page = target.read_text("utf-8")
    found = data(page)
    assert len(found["records"]) == 6
    assert found["scenes"][0]["picture"]
    assert found["views"]
    assert command(run_folder, "--format", "html", "--title", "My runs", "--percent")[1] == page
    lines = parts.markup(page).of("code")[-1]
    assert "abotn report" in lines
    assert "--percent --title 'My runs'" in lines
    assert lines.endswith("--format html -o report.html")


def test_an_evaluation_in_its_run_folder_brings_the_records(command, run_folder, tmp_path, parts):
    parts.evaluation().write(tmp_path / "elsewhere.json")
    folder = tmp_path / "run"
    parts.run(folder, run_folder.parent / "data")
    parts.evaluation().write(folder / "evaluation.json")
    page = command(folder / "evaluation.json", "--format", "html")[1]
    assert len(data(page)["records"]) == 6
    bare = command(tmp_path / "elsewhere.json", "--format", "html")[1]
    assert 'id="data"' not in bare


def test_folders_of_maps_can_be_given(command, run_folder, tmp_path, parts):
    parts.map(tmp_path / "maps" / "hall")
    moved = tmp_path / "run"
    parts.run(moved, tmp_path / "gone")
    page = command(moved, "--format", "html")[1]
    assert data(page)["scenes"][0]["picture"] is None
    assert "No map of hall" in page
    found = data(command(moved, "--format", "html", "--map-dir", tmp_path / "maps")[1])
    assert found["scenes"][0]["picture"]
    found = data(command(moved, "--format", "html", "--data-dir", run_folder.parent / "data")[1])
    assert found["scenes"][0]["picture"]


@pytest.mark.parametrize("option", ["--data-dir", "--map-dir"])
def test_a_missing_folder_is_one_line(command, run_folder, option):
    code, out, err = command(run_folder, "--format", "html", option, "nowhere")
    assert (code, out) == (2, "")
    assert "nowhere" in err
    assert option in err
    assert err.count("\n") == 1


def test_tables_alone_are_a_format_of_their_own(command, run_folder):
    page = command(run_folder, "--format", "html-tables")[1]
    assert "<table>" in page
    assert "<script" not in page
