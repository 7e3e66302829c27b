"""Where -o writes to, and what it never writes over."""

import os
import shutil
import subprocess
import sys
import threading

import pytest

from abotn.cli.main import run_command_line

pytestmark = pytest.mark.skipif(os.name != "posix", reason="devices, pipes and links of POSIX")


@pytest.fixture(scope="module")
def folder(made_run, tmp_path_factory):
    """The made run, evaluated, and a copy of it."""
    place = tmp_path_factory.mktemp("outputs")
    shutil.copytree(made_run / "run", place / "run")
    assert run_command_line(["evaluate", str(place / "run"), "--bootstrap", "100", "--quiet"]) == 0
    shutil.copytree(place / "run", place / "other")
    return place


@pytest.fixture
def say(folder, capfdbinary, monkeypatch):
    monkeypatch.chdir(folder)

    def run(line):
        code = run_command_line(line.split())
        out, err = capfdbinary.readouterr()
        return code, out.decode(), err.decode()

    return run


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("report run --format json -o run/evaluation.json", "is a document of a run"),
        ("report run/evaluation.json --format json -o run/evaluation.json", "is an input"),
        ("report run --format json -o run/run.json", "is a document of a run"),
        ("report run --format json -o other/run.json", "is a document of a run"),
        ("report run --format json -o link.json", "is a document of a run"),
        ("report run --format json -o RECORD", "is a record of a run"),
        ("report run --format json -o TRAJECTORY", "is a record of a run"),
        ("compare run other --format json -o other/evaluation.json", "is a document of a run"),
        ("compare run other --format json -o RECORD", "is a record of a run"),
        ("evaluate run -o other/evaluation.json", "is a document of a run"),
        ("evaluate run -o run/run.json", "is a document of a run"),
        ("evaluate RECORD -o RECORD", "is an input"),
        ("plot run --kind intervals -o picture.png", "is a document of a run"),
    ],
)
def test_documents_of_runs_are_never_written_over(say, folder, line, reason):
    record = next((folder / "run").glob("*/*/result.json")).relative_to(folder)
    for name in ("link.json", "picture.png"):
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to("run/run.json")
    before = contents(folder)
    line = line.replace("RECORD", str(record))
    line = line.replace("TRAJECTORY", str(record.with_name("trajectory.json")))
    code, out, err = say(line)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert reason in err
    assert "name another file" in err
    assert contents(folder) == before


def test_an_evaluation_may_renew_its_own_file(say, folder):
    kept = (folder / "run" / "evaluation.json").read_bytes()
    code, out, _ = say("evaluate run -o run/evaluation.json --bootstrap 100 --quiet")
    assert (code, out) == (0, "run/evaluation.json\n")
    assert (folder / "run" / "evaluation.json").read_bytes() == kept


def test_a_report_never_takes_the_place_of_an_evaluation_not_made_yet(say, folder):
    shutil.copytree(folder / "run", folder / "bare")
    (folder / "bare" / "evaluation.json").unlink()
    code, _, err = say("report bare --format json -o bare/evaluation.json")
    assert code == 2
    assert "is the place of a document of a run" in err
    assert say("evaluate bare -o bare/evaluation.json --bootstrap 0 --quiet")[0] == 0


def test_reports_may_be_written_again_and_again(say, folder):
    for _ in range(2):
        assert say("report run --format json -o result.json")[0] == 0
        assert say("evaluate run --bootstrap 0 --quiet -o evaluation.json")[0] == 0


def test_a_link_is_written_through(say, folder):
    (folder / "real").mkdir()
    (folder / "table.md").symlink_to("real/table.md")
    code, out, _ = say("report run -o table.md")
    assert (code, out) == (0, "table.md\n")
    assert (folder / "table.md").is_symlink()
    assert (folder / "real" / "table.md").read_text().startswith("# Evaluation report")
    assert [one.name for one in (folder / "real").iterdir()] == ["table.md"]


@pytest.mark.parametrize(
    "line",
    [
        "report run --format csv -o NAME.csv",
        "report run -o NAME.html",
        "compare run other -o NAME.html",
        "compare run other -o NAME.tex",
        "plot run --kind intervals -o NAME.pdf",
        "plot run --kind intervals -o NAME.png",
        "evaluate run --bootstrap 0 -o NAME",
    ],
)
def test_devices_stay_devices_and_a_full_one_is_one_line(say, folder, line):
    *_, name = line.replace("NAME", "device").split()
    for number, code in ((3, 0), (7, 2)):
        device = folder / name
        device.unlink(missing_ok=True)
        try:
            os.mknod(device, 0o20600, os.makedev(1, number))
            device.open("wb").close()
        except PermissionError:
            pytest.skip("making devices is not allowed here")
        found, _, err = say(line.replace("NAME", "device"))
        assert found == code, err
        assert device.is_char_device()
        assert code == 0 or ("cannot write: No space left on device" in err)
        assert code == 0 or len([one for one in err.splitlines() if "error" in one]) == 1
    assert not (folder / "device_paths").exists()


def test_a_pipe_gets_the_bytes(say, folder):
    os.mkfifo(folder / "pipe.csv")
    seen = []
    reader = threading.Thread(target=lambda: seen.append((folder / "pipe.csv").read_bytes()))
    reader.start()
    assert say("report run -o pipe.csv")[0] == 0
    reader.join(20)
    assert say("report run -o table.csv")[0] == 0
    assert seen == [(folder / "table.csv").read_bytes()]


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="no /dev/stdout")  # noqa: PTH110
@pytest.mark.parametrize("line", ["report run --format csv", "compare run other --format json"])
def test_standard_output_has_a_name(folder, line):
    command = [sys.executable, "-m", "abotn", *line.split()]
    log = folder / "log"
    log.write_bytes(b"kept\n")
    with log.open("ab") as stream:
        subprocess.run([*command, "-o", "/dev/stdout"], cwd=folder, stdout=stream, check=True)
    plain = subprocess.run([*command, "-o", "plain"], cwd=folder, check=True, capture_output=True)
    assert plain.returncode == 0
    assert log.read_bytes() == b"kept\n" + (folder / "plain").read_bytes()


def test_pictures_without_their_document_are_taken_away(tmp_path):
    from abotn.cli.compare_output import write_files
    from abotn.errors import DataError

    (tmp_path / "old").mkdir()
    (tmp_path / "document").mkdir()
    files = {
        tmp_path / "new" / "deep" / "a.png": b"a",
        tmp_path / "old" / "b.png": b"b",
        tmp_path / "document": b"c",
    }
    with pytest.raises(DataError, match="Is a directory"):
        write_files(files)
    assert sorted(one.name for one in tmp_path.rglob("*")) == ["document", "old"]
