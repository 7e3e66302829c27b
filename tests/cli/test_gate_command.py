import json
import math

import pytest

from abotn.cli.main import run_command_line
from abotn.results.types import EvaluationResult, MetricResult


def evaluation(success, length, **more):
    metrics = (
        MetricResult("success_new", success, **more),
        MetricResult("collision_length", length, "m", "lower"),
    )
    protocol = {"name": "strict", "values": {}, "modified": []}
    return EvaluationResult(metrics, provenance={"protocol": protocol, "on_error": "failure"})


@pytest.fixture
def say(capsys, tmp_path, monkeypatch):
    """Run the gate in a folder with two evaluations; return exit code, stdout and stderr."""
    (tmp_path / "run").mkdir()
    evaluation(0.85, 0.4).write(tmp_path / "run" / "evaluation.json")
    evaluation(0.9, 0.3).write(tmp_path / "main.json")
    raised = evaluation(math.nan, 0.3, metadata={"error": "ValueError: shape"})
    raised.write(tmp_path / "raised.json")
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        code = run_command_line(["gate", *map(str, arguments)])
        return code, *capsys.readouterr()

    return run


def test_all_conditions_hold(say):
    code, out, err = say("run", "--threshold", "success_new>=0.8", "--threshold",
                         "collision_length<=0.5")  # fmt: skip
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "pass  success_new >= 0.8         0.85",
        "pass  collision_length <= 0.5 m  0.4",
        "gate passed, 2 of 2 conditions",
    ]


def test_one_that_fails_fails_all(say):
    code, out, _ = say("run/evaluation.json", "--threshold", "sr_new=0.8", "--threshold",
                       "collision_length=0.3")  # fmt: skip
    assert code == 1
    assert out.splitlines()[1:] == [
        "FAIL  collision_length <= 0.3 m  0.4",
        "gate FAILED, 1 of 2 conditions",
    ]


def test_regressions_against_a_baseline(say):
    assert say("run", "--baseline", "main.json", "--max-regression", 0.1)[0] == 0
    code, out, _ = say("run", "--baseline", "main.json", "--max-regression", 0.02)
    assert code == 1
    assert "FAIL  success_new >= 0.88" in out
    assert "(baseline 0.9, may be worse by 0.02)" in out
    only = ("--baseline", "main.json", "--metrics", "sr_new", "--max-regression", "0.06")
    assert say("run", *only)[0] == 0
    apart = ("--max-regression", "sr_new=0.06", "--max-regression", "collision_length=0.05")
    code, out, _ = say("run", "--baseline", "main.json", *apart)
    assert (code, out.count("pass  "), out.count("FAIL  ")) == (1, 1, 1)
    assert say("run", "--baseline", "run")[0] == 0


def test_another_protocol_is_warned_of(say, tmp_path):
    other = evaluation(0.5, 0.6)
    protocol = {"name": "loose", "values": {}, "modified": []}
    EvaluationResult(other.metrics, provenance={"protocol": protocol}).write(tmp_path / "o.json")
    err = say("run", "--baseline", "o.json")[2]
    assert "different protocols: strict (evaluation); loose (baseline)" in err


def test_errors_fail_unless_allowed(say):
    code, out, _ = say("raised.json", "--threshold", "collision_length<=1")
    assert code == 1
    assert "FAIL  success_new runs without error  (ValueError: shape)" in out
    assert say("raised.json", "--threshold", "collision_length<=1", "--allow-errors")[0] == 0
    code, out, _ = say("raised.json", "--threshold", "success_new>=0", "--allow-errors")
    assert code == 1
    assert "undefined  (ValueError: shape)" in out


def test_json_says_the_same(say):
    code, out, _ = say("run", "--threshold", "success_new>=0.9", "--json")
    found = json.loads(out)
    assert (code, found["passed"], found["verdicts"][0]["value"]) == (1, False, 0.85)


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["run"], "nothing to check"),
        (["absent.json", "--threshold", "success_new>=1"], "absent.json"),
        (["run", "--threshold", "success_new>0.8"], "thresholds"),
        (["run", "--threshold", "success_new>=inf"], "thresholds"),
        (["run", "--threshold", "sucess_new>=0.8"], "success_new"),
        (["run", "--threshold", "ndtw>=0.8"], "ndtw"),
        (["run", "--max-regression", "0.1"], "--baseline"),
        (["run", "--baseline", "absent.json"], "absent.json"),
        (["run", "--baseline", "main.json", "--max-regression", "much"], "--max-regression"),
        (["run", "--baseline", "main.json", "--max-regression", "-1"], "max_regression"),
        (["run", "--baseline", "main.json", "--max-regression", "1", "--max-regression", "2"],
         "--max-regression"),
        (["run", "--baseline", "main.json", "--metrics", "spl"], "spl"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line_and_exit_code_2(say, arguments, named):
    code, out, err = say(*arguments)
    assert (code, out) == (2, "")
    assert len(err.strip().splitlines()) == 1
    assert named in err
