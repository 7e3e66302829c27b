from pathlib import Path

import pytest

from abotn.errors import DataError, EvaluationInputError, UnknownNameError
from abotn.streaming.dataset import (
    CAMERAS,
    SENSORS,
    Scenario,
    check_sensor,
    find_scenarios,
    mask_path,
    parse_scenario,
    point_label_path,
    scenario_below,
    sensor_label_path,
    timestep_label_path,
)


def test_an_anomaly_path_gives_town_and_type():
    path = "/data/test/anomaly/Town01/broken-light/0000"
    assert parse_scenario(path) == Scenario(path, "Town01", "broken-light")
    assert parse_scenario(path).is_anomalous


def test_a_normal_path_gives_the_town_and_no_type():
    path = "/data/test/normal/Town10HD/0000"
    assert parse_scenario(path) == Scenario(path, "Town10HD", None)
    assert not parse_scenario(path).is_anomalous


@pytest.mark.parametrize(
    "path",
    [
        "test/anomaly/T/kind/run",
        "/x/test/anomaly/T/kind/run/",
        "C:\\data\\test\\anomaly\\T\\kind\\run",
        "/home/test/normal/x/data/test/anomaly/T/kind/run",
        Path("/data/test/anomaly/T/kind/run"),
        "/data/test/anomaly/T/kind",
    ],
)
def test_separators_folders_above_and_path_objects_do_not_matter(path):
    found = parse_scenario(path)
    assert (found.town, found.anomaly_type) == ("T", "kind")
    assert found.scenario_id == str(path)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/data/train/Town01/0000",
        "/data/test/other/Town01/0000",
        "/data/test/anomaly",
        "/data/test/anomaly/Town01",
        "/data/test/normal",
        "/data/mytest/normal/Town01/0000",
    ],
)
def test_a_path_of_neither_kind_is_an_error_with_the_layout(path):
    with pytest.raises(EvaluationInputError, match="neither kind") as caught:
        parse_scenario(path)
    assert "/test/anomaly/{town}/{anomaly_type}/" in str(caught.value)
    assert path in str(caught.value)


def test_a_scenario_id_that_is_no_path_is_an_error():
    with pytest.raises(EvaluationInputError, match="must be a path, got int"):
        parse_scenario(3)


def test_label_files_lie_where_the_layout_says():
    assert mask_path("/s", "front", 7) == Path("/s/anomaly-front/000007.png")
    assert mask_path("/s", "rear", 1234567) == Path("/s/anomaly-rear/1234567.png")
    assert point_label_path("/s", 12) == Path("/s/anomaly-lidar/000012.feather")
    assert sensor_label_path("/s", "lidar") == Path("/s/anomaly-lidar/sensor.feather")
    assert timestep_label_path("/s") == Path("/s/anomaly-observation.feather")


def test_sensors():
    assert CAMERAS == ("front", "left", "right", "rear")
    assert (*CAMERAS, "lidar") == SENSORS
    assert check_sensor("lidar") == "lidar"
    with pytest.raises(UnknownNameError, match=r"unknown sensor 'fornt'.*did you mean: front"):
        check_sensor("fornt")


def test_scenarios_are_found_sorted_normal_first(layout):
    late, early = layout.normal(name="b"), layout.normal(name="a")
    for scenario in (late, early, layout.anomaly()):
        layout.timesteps(scenario, [False])
    assert [s.scenario_id for s in find_scenarios(layout.root)] == [early, late, layout.anomaly()]


def test_a_folder_without_scenarios_is_an_error(tmp_path):
    with pytest.raises(DataError, match="found none") as caught:
        find_scenarios(tmp_path)
    assert str(tmp_path / "test") in str(caught.value)


@pytest.mark.parametrize(
    "path",
    [
        "/data/test/normal/Town01/s",
        "/data/test/normal/Town01/s/",
        "./test/normal/Town01/./s",
        "//mnt/x/test/normal/Town01/s",
        "/data/test/normal/Town01/other/../s",
        "C:\\data\\test\\normal\\Town01\\s",
    ],
)
def test_one_scenario_has_one_key_however_it_is_spelt(path):
    scenario = parse_scenario(path)
    assert scenario.scenario_id == path
    assert scenario.key == scenario_below(path) == "test/normal/Town01/s"
