"""Each tracker is used for real, in its offline mode, and what it wrote is read back."""

import importlib.util
import json
import math
import struct

import pytest

from abotn.errors import ConfigError, UnknownNameError
from abotn.evaluation.loggers import LOGGERS, log_evaluation, plugin
from abotn.evaluation.loggers.content import facts, needed, scalars
from abotn.plugins.manager import Origin, PluginManager
from abotn.results.files import read_evaluation
from abotn.results.types import ConfidenceInterval, EvaluationResult, GroupResult, MetricResult

CI = ConfidenceInterval(0.6, 0.85, 0.95, "wilson")
SHORT = GroupResult("5 m & less", 2, (MetricResult("success", 0.5), MetricResult("spl", math.nan)))
RESULT = EvaluationResult(
    (
        MetricResult("success", 0.75, ci=CI),
        MetricResult("robometrics/ade", 0.25, "m", "lower"),
        MetricResult("spl", math.nan, reason="undefined for every record"),
    ),
    groups={"length": (SHORT,)},
    counts={"scored": 4, "errors": 1},
    provenance={
        "protocol": {"name": "strict", "values": {"arrive_threshold": 0.5}},
        "versions": {"abotn": "1.0"},
        "dataset": None,
        "record_keys": ["s/t0"],
    },
    name="planner",
)
NUMBERS = {
    "metrics/success": 0.75,
    "ci_lower/success": 0.6,
    "ci_upper/success": 0.85,
    "metrics/robometrics/ade": 0.25,
    "counts/scored": 4.0,
    "counts/errors": 1.0,
    "groups/length/5 m _ less/success": 0.5,
}


def installed(package):
    """Skip where a tracker is not installed; its warnings are its own affair."""
    missing = importlib.util.find_spec(package) is None
    return pytest.mark.skipif(missing, reason=f"{package} is not installed, see the extras")


def test_numbers_by_tag_without_the_undefined():
    assert scalars(RESULT) == NUMBERS


def test_facts_are_flat_and_name_the_undefined():
    found = facts(RESULT)
    assert found["name"] == "planner"
    assert found["protocol.name"] == "strict"
    assert found["protocol.values.arrive_threshold"] == 0.5
    assert found["dataset"] is None
    assert found["undefined"] == "spl"
    assert not any(name.startswith("record_keys") for name in found)


def test_unknown_trackers_and_missing_packages_say_what_to_do(tmp_path):
    with pytest.raises(UnknownNameError, match="wandb"):
        log_evaluation(RESULT, "wandbb")
    with pytest.raises(ConfigError, match=r"pip install 'abotn\[wandb\]'"):
        needed("a_package_that_is_not_there", "wandb")


@pytest.mark.parametrize("name", LOGGERS)
def test_a_tracker_that_is_not_installed_is_one_clear_error(name, tmp_path):
    if importlib.util.find_spec(name) is not None:
        pytest.skip(f"{name} is installed")
    with pytest.raises(ConfigError, match=rf"pip install 'abotn\[{name}\]'"):
        log_evaluation(RESULT, name, folder=tmp_path)


@installed("tensorboard")
@pytest.mark.filterwarnings("default")
def test_tensorboard_event_files(tmp_path):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    place = log_evaluation(RESULT, "tensorboard", folder=tmp_path, project="planner", step=3)
    log_evaluation(RESULT, "tensorboard", folder=tmp_path, project="planner", step=4)
    assert place == str(tmp_path / "planner")
    events = EventAccumulator(place)
    events.Reload()
    tags = set(events.Tags()["scalars"]) | set(events.Tags()["tensors"])
    assert tags == set(NUMBERS)
    for tag, value in NUMBERS.items():
        found = events.Tensors(tag)
        assert [event.step for event in found] == [3, 4]
        assert found[0].tensor_proto.float_val[0] == pytest.approx(value)
    assert read_evaluation(tmp_path / "planner" / "evaluation.json").name == "planner"
    with pytest.raises(ConfigError, match="folder"):
        log_evaluation(RESULT, "tensorboard")


@installed("mlflow")
@pytest.mark.filterwarnings("default")
def test_mlflow_local_store(tmp_path):
    import mlflow

    run_id = log_evaluation(RESULT, "mlflow", folder=tmp_path, project="navigation", step=2)
    client = mlflow.MlflowClient(tracking_uri=f"sqlite:///{(tmp_path / 'mlflow.db').as_posix()}")
    run = client.get_run(run_id)
    assert run.data.metrics == NUMBERS
    assert [m.step for m in client.get_metric_history(run_id, "metrics/success")] == [2]
    assert run.data.tags["abotn.protocol.name"] == "strict"
    assert run.data.tags["abotn.undefined"] == "spl"
    assert (run.info.run_name, run.info.status) == ("planner", "FINISHED")
    assert client.get_experiment(run.info.experiment_id).name == "navigation"
    place = client.download_artifacts(run_id, "evaluation.json", str(tmp_path))
    assert read_evaluation(place).to_json() == RESULT.to_json()
    again = log_evaluation(RESULT, "mlflow", folder=tmp_path, project="navigation")
    assert client.get_run(again).info.experiment_id == run.info.experiment_id


@installed("mlflow")
@pytest.mark.filterwarnings("default")
def test_mlflow_goes_on_in_the_active_run(tmp_path, monkeypatch):
    import mlflow

    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    before = mlflow.get_tracking_uri()
    mlflow.set_tracking_uri((tmp_path / "store").as_uri())
    try:
        with mlflow.start_run() as active:
            assert log_evaluation(RESULT, "mlflow", step=7) == active.info.run_id
            assert mlflow.active_run() is not None
        assert mlflow.get_run(active.info.run_id).data.metrics == NUMBERS
    finally:
        mlflow.set_tracking_uri(before)


def wandb_records(path):
    """Yield the records of an offline run: a LevelDB log of protocol buffers."""
    from wandb.proto import wandb_internal_pb2

    content, offset, parts = path.read_bytes(), 7, b""
    while offset + 7 <= len(content):
        if 32768 - offset % 32768 < 7:
            offset += 32768 - offset % 32768
        _, size, kind = struct.unpack_from("<IHB", content, offset)
        parts += content[offset + 7 : offset + 7 + size]
        offset += 7 + size
        if kind in (1, 4):
            record = wandb_internal_pb2.Record()
            record.ParseFromString(parts)
            yield record
            parts = b""


@installed("wandb")
@pytest.mark.filterwarnings("default")
def test_wandb_offline_run(tmp_path, monkeypatch):
    import wandb

    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    run_id = log_evaluation(RESULT, "wandb", folder=str(tmp_path), project="navigation", step=5)
    assert wandb.run is None
    (path,) = tmp_path.rglob(f"run-{run_id}.wandb")
    records = list(wandb_records(path))
    (history,) = [r.history for r in records if r.WhichOneof("record_type") == "history"]
    logged = {
        "/".join(item.nested_key) or item.key: json.loads(item.value_json) for item in history.item
    }
    assert {tag: logged[tag] for tag in NUMBERS} == NUMBERS
    assert logged["_step"] == 5
    configs = [
        json.loads(update.value_json)
        for record in records
        for update in record.config.update
        if update.key == "evaluation" or "evaluation" in update.nested_key
    ]
    assert configs[-1]["protocol.name"] == "strict"
    (artifact,) = [r.artifact for r in records if r.WhichOneof("record_type") == "artifact"] or [
        r.request.log_artifact.artifact for r in records if r.request.HasField("log_artifact")
    ]
    assert artifact.type == "evaluation"


RECORD = {
    "schema_version": "1", "episode_id": "s", "task_id": "t", "status": "stop", "steps": 2,
    "success": True, "metrics": {},
}  # fmt: skip


@pytest.fixture
def run(tmp_path):
    """A run folder with one record."""
    place = tmp_path / "run" / "s" / "t"
    place.mkdir(parents=True)
    (place / "result.json").write_text(json.dumps(RECORD), encoding="utf-8")
    return tmp_path / "run"


@pytest.fixture
def manager():
    found = PluginManager(discover=False)
    found.register(plugin, Origin("abotn", "1", "loggers"))
    return found


def test_a_finished_run_is_logged_only_when_asked(run, manager, monkeypatch, capsys):
    monkeypatch.delenv(plugin.VARIABLE, raising=False)
    manager.tell("abotn_run_finished", run=run)
    assert sorted(path.name for path in run.iterdir()) == ["s"]
    monkeypatch.setenv(plugin.VARIABLE, "wandbb")
    manager.tell("abotn_run_finished", run=run)
    assert "unknown logger 'wandbb'" in capsys.readouterr().err


@installed("tensorboard")
@pytest.mark.filterwarnings("default")
def test_a_finished_run_goes_to_the_tracker_of_the_environment(run, manager, monkeypatch, capsys):
    monkeypatch.setenv(plugin.VARIABLE, " tensorboard, ")
    manager.tell("abotn_run_finished", run=run)
    assert capsys.readouterr().err == ""
    assert read_evaluation(run / "tensorboard")["success"].value == 1.0


def test_the_command_refuses_what_it_cannot_do(tmp_path, capsys):
    from abotn.cli.main import run_command_line

    RESULT.write(tmp_path / "evaluation.json")
    assert run_command_line(["log", str(tmp_path), "--to", "wandbb"]) == 2
    assert "unknown logger" in capsys.readouterr().err
    assert run_command_line(["log", str(tmp_path / "absent"), "--to", "tensorboard"]) == 2
    assert "absent" in capsys.readouterr().err


@installed("tensorboard")
@pytest.mark.filterwarnings("default")
def test_the_command_says_where_it_went(tmp_path, capsys):
    from abotn.cli.main import run_command_line

    RESULT.write(tmp_path / "evaluation.json")
    code = run_command_line(
        ["log", str(tmp_path), "--to", "tensorboard", "--folder", str(tmp_path / "tb")]
    )
    assert (code, capsys.readouterr().out) == (0, f"tensorboard: {tmp_path / 'tb'}\n")
