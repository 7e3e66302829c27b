"""The shared cases: every metric value of 200 records, under two collision thresholds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from abotn.metrics.compute import compute_column
from abotn.plugins.manager import default_registry
from abotn.records.readers import read_records

CASES = Path(__file__).parents[3] / "shared" / "cases" / "records.json"

pytestmark = pytest.mark.skipif(not CASES.is_file(), reason="../shared/cases is not there")


@pytest.fixture(scope="module")
def cases() -> list[dict[str, Any]]:
    return json.loads(CASES.read_text())


@pytest.mark.parametrize("threshold", [1, 3])
def test_every_value_of_every_case_comes_out_right(cases, threshold):
    records = [{**case["record"], "attempt": row} for row, case in enumerate(cases)]
    table = read_records(records).table
    row_of_case = table.column("attempt").astype(int)
    wanted = [cases[row]["values"][str(threshold)] for row in row_of_case]
    for name in sorted({name for values in wanted for name in values}):
        spec = default_registry().get(name)
        chosen = {"collision_threshold": threshold}
        parameters = {k: v for k, v in chosen.items() if k in spec.parameters}
        expected = np.array([values.get(name, np.nan) for values in wanted])
        found = compute_column(spec, table, parameters).values
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9, err_msg=name)


def test_the_cases_tell_the_thresholds_and_the_task_types_apart(cases):
    assert any(case["values"]["1"] != case["values"]["3"] for case in cases)
    poi = [case["record"]["task_type"] == "poi_goal" for case in cases]
    assert [("poi_spl" in case["values"]["1"]) for case in cases] == poi
