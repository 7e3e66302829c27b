from pathlib import Path

import pytest

from abotn.cli.baselines import chosen_baseline
from abotn.errors import UnknownNameError

NAMES = ["agent (a/run)", "agent (b/run)", "other"]
FOLDERS = [Path("runs/a/run"), Path("runs/b/run"), Path("runs/other-run")]


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ("agent (b/run)", 1),
        ("other", 2),
        ("runs/a/run", 0),
        ("./runs/b/../a/run/", 0),
        ("b/run", 1),
        ("other-run", 2),
    ],
)
def test_a_baseline_is_a_name_a_path_or_the_end_of_one(given, place):
    assert chosen_baseline(given, NAMES, FOLDERS) == NAMES[place]


@pytest.mark.parametrize("given", ["run", "agent", "", ".", "x/a/run"])
def test_what_means_no_run_or_several_is_refused(given):
    with pytest.raises(UnknownNameError, match="baseline"):
        chosen_baseline(given, NAMES, FOLDERS)
