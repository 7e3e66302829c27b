AGENT = """
import os

from abotn.agents import StraightLineAgent


class Wanderer(StraightLineAgent):
    def predict(self, observation):
        os.chdir("/")
        return super().predict(observation)
"""


def test_records_stay_in_the_run_folder_when_an_agent_changes_the_working_folder(
    abotn, made_run, tmp_path
):
    (tmp_path / "wanderer.py").write_text(AGENT, encoding="utf-8")
    done = abotn("run", "point-goal", "--agent", "wanderer:Wanderer", "--data-dir",
                 made_run / "scenes", "--render", "none", "--max-steps", 3, "--run-dir", "here",
                 cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "here"
    assert len(list((tmp_path / "here").rglob("result.json"))) == 4
