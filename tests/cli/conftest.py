import subprocess
import sys

import pytest


@pytest.fixture(scope="session")
def abotn():
    """Run the real command line in a process of its own."""

    def run(*arguments, cwd=None, check=False, env=None):
        return subprocess.run(
            [sys.executable, "-m", "abotn", *map(str, arguments)],
            cwd=cwd, env=env, capture_output=True, text=True, encoding="utf-8", check=check,
        )  # fmt: skip

    return run


@pytest.fixture(scope="session")
def made_run(abotn, tmp_path_factory):
    """A scored run of the planner over two small indoor scenes."""
    folder = tmp_path_factory.mktemp("made")
    abotn("scenes", "generate", "--kind", "indoor", "--scenes", 2, "--tasks", 2, "--seed", 1,
          "--out", folder / "scenes", check=True)  # fmt: skip
    done = abotn("run", "point-goal", "--agent", "abotn.agents:PlannerAgent", "--data-dir",
                 folder / "scenes", "--protocol", "pointbench-indoor", "--render", "none",
                 "--max-steps", 60, "--run-dir", folder / "run")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == str(folder / "run")
    return folder
