"""``abotn compare`` writing its page and its pictures."""

import json
import re
import shutil

import pytest

from abotn.cli.main import run_command_line
from abotn.evaluation.evaluator import Evaluator

OPTIONS = ("--metrics", "success", "--bootstrap", "100")


@pytest.fixture
def command(capfdbinary, pair_folder, monkeypatch):
    """Runs ``abotn compare first second`` beside them; returns exit code, stdout and stderr."""
    monkeypatch.chdir(pair_folder)

    def run(*arguments, runs=("first", "second")):
        code = run_command_line(["compare", *map(str, (*runs, *OPTIONS, *arguments))])
        out, err = capfdbinary.readouterr()
        return code, out.decode(), err.decode()

    return run


def data(page):
    return json.loads(re.findall(r'id="pairs">(.*?)</script>', page)[0])


def test_a_page_holds_both_paths_and_its_own_command(command, tmp_path, parts):
    target = tmp_path / "comparison.html"
    code, out, err = command("-o", target)
    assert code == 0
    assert out.splitlines()[-1] == str(target)
    assert err.startswith("warning: ")
    page = target.read_text(encoding="utf-8")
    assert len(data(page)["tasks"]) == 4
    assert data(page)["scenes"][0]["picture"]
    lines = parts.markup(page).of("code")
    assert "abotn run point-goal" in lines[0]
    assert "abotn compare first second" in lines[-1]
    assert lines[-1].endswith("-o comparison.html")
    assert command("--format", "html")[1] == page
    assert list(tmp_path.iterdir()) == [target]


def test_markdown_gets_a_picture_per_task_beside_it(command, tmp_path):
    target = tmp_path / "my result.md"
    assert command("-o", target)[0] == 0
    text = target.read_text(encoding="utf-8")
    links = re.findall(r"!\[[^\]]*\]\(([^)]*)\)", text)
    assert links[0] == "my%20result_paths/1-a-01-hall-t0.png"
    files = sorted(one.name for one in (tmp_path / "my result_paths").iterdir())
    assert files == sorted(link.rpartition("/")[2] for link in links)
    assert len(files) == 4
    assert "For both paths" not in text


def test_latex_names_its_folder_so_that_it_compiles(command, tmp_path):
    target = tmp_path / "my 100% result.tex"
    assert command("-o", target)[0] == 0
    folder = "my-100-result_paths"
    assert f"{{{folder}/1-a-01-hall-t0.pdf}}" in target.read_text(encoding="utf-8")
    assert (tmp_path / folder / "1-a-01-hall-t0.pdf").read_bytes().startswith(b"%PDF")


def test_the_folder_of_the_pictures_can_be_given_or_left_out(command, tmp_path):
    target = tmp_path / "out" / "c.md"
    target.parent.mkdir()
    assert command("-o", target, "--pictures", tmp_path / "pictures")[0] == 0
    assert "(../pictures/1-b-01-hall-t2.png)" in target.read_text(encoding="utf-8")
    assert len(list((tmp_path / "pictures").iterdir())) == 4
    assert command("-o", target, "--no-pictures")[0] == 0
    assert "![" not in target.read_text(encoding="utf-8")
    assert list(target.parent.iterdir()) == [target]


def test_a_folder_that_latex_cannot_name_is_refused(command, tmp_path):
    target = tmp_path / "c.tex"
    code, _, err = command("-o", target, "--pictures", tmp_path / "50%")
    assert (code, target.exists()) == (2, False)
    assert "--pictures" in err.splitlines()[-1]


def test_a_folder_that_cannot_be_made_is_one_line(command, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    code, _, err = command("-o", tmp_path / "c.md", "--pictures", tmp_path / "file")
    assert code == 2
    assert "file" in err.splitlines()[-1]


@pytest.mark.parametrize(("form", "ending"), [("markdown", "FILE.md"), ("latex", "FILE.tex")])
def test_printed_tables_say_how_to_get_pictures(command, form, ending):
    out = command("--format", form)[1]
    assert f"For both paths of each task on one map: -o {ending}, or -o FILE.html." in out
    assert "For both paths" not in command("--format", "rst")[1]
    assert "For both paths" not in command("--format", "json")[1]


def test_another_metric_can_say_what_is_solved(command):
    found = json.loads(command("--json", "--solved-by", "sr_new")[1])["pairs"][0]
    assert found["solved_by"] == "success_new"
    lists = found["solved_only_by_a"], found["solved_only_by_b"], found["solved_unknown"]
    both = found["solved_by_both"] + found["solved_by_neither"]
    assert both + sum(map(len, lists)) == 6
    assert "solves 3 by success_new" in command("--solved-by", "success_new")[1]


def test_folders_of_maps_can_be_given(command, pair_folder, parts, tmp_path):
    for run in ("first", "second"):
        shutil.copytree(pair_folder / run, tmp_path / run)
        text = (tmp_path / run / "run.json").read_text(encoding="utf-8")
        gone = text.replace(str(pair_folder / "data"), str(tmp_path / "gone"))
        (tmp_path / run / "run.json").write_text(gone, encoding="utf-8")
    parts.map(tmp_path / "maps" / "hall")
    moved = (tmp_path / "first", tmp_path / "second")
    page = command("--format", "html", runs=moved)[1]
    assert data(page)["scenes"][0]["picture"] is None
    for option, folder in (("--map-dir", tmp_path / "maps"), ("--data-dir", pair_folder / "data")):
        page = command("--format", "html", option, folder, runs=moved)[1]
        assert data(page)["scenes"][0]["picture"]


def test_an_evaluation_stands_for_the_run_it_lies_in(command, pair_folder, tmp_path):
    for run in ("first", "second"):
        shutil.copytree(pair_folder / run, tmp_path / run)
        result = Evaluator().evaluate_dataset(str(tmp_path / run), metrics=["success"])
        result.write(tmp_path / run / "evaluation.json")
    inside = [tmp_path / run / "evaluation.json" for run in ("first", "second")]
    assert "## Tasks that planner solves" in command(runs=inside)[1]
    away = tmp_path / "away.json"
    inside[0].rename(away)
    code, out, err = command(runs=(away, inside[1]))
    assert (code, out) == (2, "")
    assert "holds no values per task" in err
    assert err.count("\n") == 1
