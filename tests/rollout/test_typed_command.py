"""The command that made a run, kept in its manifest and shown on its page, without secrets."""

from __future__ import annotations

from pathlib import Path

import pytest

from abotn import schema_files
from abotn.cli.main import run_command_line
from abotn.records.files import read_manifest
from abotn.rollout.manifest import without_secrets
from abotn.rollout.runner import run

AGENT = "abotn.agents:StraightLineAgent"


def test_the_manifest_keeps_the_words_that_were_typed_also_when_resumed(
    dataset: Path, tmp_path: Path
) -> None:
    typed = ["run", "point-goal", "--agent", AGENT, "--data-dir", str(dataset), "--render", "none",
             "--run-dir", str(tmp_path / "a b")]  # fmt: skip
    assert run_command_line(typed) == 0
    written = read_manifest(tmp_path / "a b")
    assert written is not None
    assert written["command"] == ["abotn", *typed]
    assert schema_files.complaint("run.v1", written) is None
    assert run_command_line(["run", "point-goal", "--resume-dir", str(tmp_path / "a b")]) == 0
    assert read_manifest(tmp_path / "a b") == written


def test_a_run_started_in_python_has_no_command(dataset: Path, tmp_path: Path) -> None:
    outcome = run("point_goal", AGENT, data_dir=dataset, run_dir=tmp_path / "r", render="none")
    written = read_manifest(outcome.folder)
    assert written is not None
    assert "command" not in written


@pytest.mark.parametrize(
    ("word", "kept"),
    [
        ("http://me:secret@host:80/r", "http://***@host:80/r"),
        ("http://secret@host", "http://***@host"),
        ("https://host/a?token=secret&n=1", "https://host/a?token=***&n=1"),
        ("https://host/a?n=1&API_KEY=secret", "https://host/a?n=1&API_KEY=***"),
        ("--password=secret", "--password=***"),
        ("me@host", "me@host"),
        ("agents/my agent:A", "agents/my agent:A"),
        ("arrive_threshold=1.0", "arrive_threshold=1.0"),
    ],
)
def test_secrets_are_not_kept(word: str, kept: str) -> None:
    assert without_secrets(["--agent", word]) == ["--agent", kept]
