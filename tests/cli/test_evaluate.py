import json
import os
import shutil

import pandas as pd
import pytest


@pytest.fixture
def run(made_run, tmp_path):
    return shutil.copytree(made_run / "run", tmp_path / "run")


def test_evaluate_writes_and_prints(abotn, run):
    done = abotn("evaluate", run, "--bootstrap", 200, "--threshold", "success_new=0.5")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == str(run / "evaluation.json")
    document = json.loads((run / "evaluation.json").read_text(encoding="utf-8"))
    by_name = {row["name"]: row for row in document["metrics"]}
    assert by_name["success"]["value"] == 1.0
    assert by_name["success_new"]["passed"] is True
    assert by_name["success_new"]["parameters"] == {"collision_threshold": 1}
    assert by_name["agent_seconds"]["value"] > 0
    assert list(document["groups"]) == ["scene"]  # generated scenes have no difficulty
    assert document["provenance"]["protocol"]["name"] == "pointbench-indoor"
    assert document["provenance"]["dataset"]["fingerprint"]


def test_metrics_asked_for_by_name_are_in_the_tables_of_groups(abotn, run):
    done = abotn("evaluate", run, "--metrics", "travel_length,success", "--bootstrap", 0)
    (head,) = [line for line in done.stdout.splitlines() if line.startswith("| scene")]
    assert [cell.split()[0] for cell in head.strip("|").split("|")] == [
        "scene", "records", "travel_length", "success",
    ]  # fmt: skip


def test_a_run_of_fewer_steps_than_its_protocol_gives_says_so(abotn, run):
    done = abotn("evaluate", run, "--bootstrap", 0, check=True)
    assert done.stdout.startswith("# PlannerAgent†")
    note = "† PlannerAgent: modified protocol pointbench-indoor (max_steps = 60 instead of 100)."
    assert note in done.stdout
    short = run.with_name("short")
    shutil.copytree(run, short)
    manifest = json.loads((short / "run.json").read_text(encoding="utf-8"))
    (short / "run.json").write_text(json.dumps(manifest | {"max_steps": 8}), encoding="utf-8")
    (short / "evaluation.json").unlink()
    care = "Compare with care, the runs have different values of max_steps: 60 (run"
    for command in ("report", "compare"):
        done = abotn(command, run, short, "--name", "run", "--name", "short")
        assert done.returncode == 0, done.stderr
        assert "max_steps: 60 (run); 8 (short)." in done.stdout, command
    assert care in done.stdout


def test_every_file_of_a_run_fits_its_schema(abotn, run):
    abotn("evaluate", run, "--bootstrap", 200, check=True)
    done = abotn("validate", run)
    assert (done.returncode, done.stdout.strip()) == (0, "10 checked, 0 wrong")


def test_the_same_evaluation_has_the_same_bytes(abotn, run, tmp_path):
    for name in ("one.json", "two.json"):
        abotn("evaluate", run, "--bootstrap", 300, "-o", tmp_path / name, check=True)
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()


def test_a_damaged_record_is_named_counted_and_skipped(abotn, run):
    (victim, *_) = sorted(run.rglob("result.json"))
    victim.write_text('{"episode_id"', encoding="utf-8")
    done = abotn("evaluate", run, "--bootstrap", 200)
    assert done.returncode == 0
    assert f"warning: {victim}" in done.stderr
    document = json.loads((run / "evaluation.json").read_text(encoding="utf-8"))
    assert document["counts"]["damaged"] == 1
    assert document["damaged"][0]["path"] == str(victim)
    assert document["counts"]["scored"] == 3
    assert abotn("validate", run).returncode == 1


def test_records_without_their_folder_are_scored_under_the_protocol_they_name(run):
    from abotn import Evaluator

    paths = sorted(run.rglob("result.json"))
    documents = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    frame = pd.DataFrame(documents)
    evaluator = Evaluator()
    whole = evaluator.evaluate_dataset(run)
    for results in (paths, documents, frame, paths[0]):
        result = evaluator.evaluate_dataset(results)
        assert result["success_new"].parameters == {"collision_threshold": 1}
        assert result.provenance["protocol"]["name"] == "pointbench-indoor"
        assert list(result.groups) == list(whole.groups)
    assert evaluator.evaluate_dataset(paths)["spl_new"].value == whole["spl_new"].value


def test_an_evaluation_older_than_the_records_is_not_shown(abotn, run):
    abotn("evaluate", run, "--bootstrap", 200, check=True)
    (victim, *_) = sorted(run.rglob("result.json"))
    document = json.loads(victim.read_text(encoding="utf-8"))
    later = (run / "evaluation.json").stat().st_mtime + 5
    victim.write_text(json.dumps({**document, "success": False}), encoding="utf-8")
    os.utime(victim, (later, later))
    done = abotn("report", run, "--metrics", "success", "--format", "csv")
    assert "older than the run's records" in done.stderr
    assert ",0.75," in done.stdout


def test_some_metrics_only_do_not_replace_the_evaluation(abotn, run, tmp_path):
    done = abotn("evaluate", run, "--bootstrap", 200, "--metrics", "success")
    assert "nothing was written" in done.stderr
    assert not (run / "evaluation.json").exists()
    kept = abotn("evaluate", run, "--bootstrap", 200, "--metrics", "spl", "-o", tmp_path / "e.json")
    assert kept.stdout.splitlines()[-1] == str(tmp_path / "e.json")


def test_json_output_is_the_evaluation(abotn, run):
    done = abotn("evaluate", run, "--bootstrap", 200, "--json", "--metrics", "success,spl")
    assert [row["name"] for row in json.loads(done.stdout)["metrics"]] == ["success", "spl"]


def test_set_changes_a_parameter(abotn, run):
    done = abotn("evaluate", run, "--bootstrap", 0, "--json", "--metrics", "success_new", "--set",
                 "success_new.collision_threshold=7")  # fmt: skip
    row = json.loads(done.stdout)["metrics"][0]
    assert row["parameters"] == {"collision_threshold": 7}
    assert row["ci"] is None
    assert row["ci_reason"] == "no intervals were asked for"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--metrics", "sucess"], "success"),
        (["--threshold", "success"], "--threshold"),
        (["--threshold", "success=nan"], "--threshold success"),
        (["--set", "collision_threshold=1"], "--set"),
        (["--ci-level", "1.5"], "ci_level"),
        (["--bootstrap", "50"], "bootstrap_ci"),
        (["--ci-method", "bootstrap"], "ci_method"),
        (["--group-by", "difficulty_outdor"], "difficulty_outdoor"),
        (["--category", "nav"], "category"),
        (["-o", "absent/evaluation.json"], "absent"),
    ],
)
def test_bad_options_write_nothing(abotn, run, arguments, named):
    done = abotn("evaluate", run, *arguments)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert named in done.stderr
    assert not (run / "evaluation.json").exists()


def test_metrics_describe_and_list(abotn):
    shown = abotn("metrics", "describe", "sr_new").stdout
    assert shown.startswith("success_new(success, path_collision_count, *, collision_threshold")
    listed = abotn("metrics", "list").stdout
    assert "spl_new" in listed
    assert "difficulty_outdoor" in listed
