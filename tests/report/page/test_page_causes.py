import pytest

from abotn.records.table import RecordTable
from abotn.report.page_causes import CAUSES, MEANINGS, causes

LIMIT = {"max_steps": 10}


def cause(manifest=LIMIT, **record):
    given = {"episode_id": "s", "task_id": "t", "steps": 10, **record}
    return causes(RecordTable.from_dicts([given]), manifest)[0]


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"status": "error", "success": False}, "error"),
        ({"status": "error", "success": True}, "error"),
        ({"status": "collision", "success": False}, "collision"),
        ({"status": "stop", "success": False}, "wrong stop"),
        ({"status": "max_steps", "success": False}, "time-out"),
        ({"status": "max_steps", "success": True}, "solved"),
        ({"status": "stop", "success": True}, "solved"),
        ({"status": "stop", "success": True, "success_new": True}, "solved"),
        ({"status": "stop", "success": True, "success_new": False}, "collided on the way"),
        ({"status": "stop", "success": True, "success_new": None}, "solved"),
        ({"status": "stop", "success": None}, "not known"),
        ({"success": False}, "not known"),
        ({"success": True}, "solved"),
    ],
)
def test_each_way_to_end(record, expected):
    assert cause(**record) == expected


def test_what_published_tools_call_max_steps_may_be_a_wrong_stop():
    ended = {"status": "max_steps", "success": False}
    assert cause(**ended, declared_arrival=True) == "wrong stop"
    assert cause(**{**ended, "steps": 9}) == "wrong stop"
    assert cause({}, **{**ended, "steps": 9}) == "time-out"


def test_counts_decide_where_no_verdict_was_written():
    manifest = {"protocol": {"values": {"collision_threshold": 3}}}
    ended = {"status": "stop", "success": True}
    assert cause(manifest, **ended, path_collision_count=3) == "collided on the way"
    assert cause(manifest, **ended, path_collision_count=2) == "solved"
    assert cause({}, **ended, path_collision_count=9) == "solved"


def test_collisions_on_the_way_spoil_no_poi_goal():
    ended = {"status": "stop", "success": True, "success_new": False}
    assert cause(**ended, task_type="poi_goal") == "solved"
    assert cause(**ended, task_type="point_goal") == "collided on the way"


def test_every_cause_has_a_meaning():
    assert all(MEANINGS[one] for one in CAUSES)
