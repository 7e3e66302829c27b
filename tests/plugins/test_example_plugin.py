"""The example plugin, built, installed into a second environment, used, and uninstalled."""

import json
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

EVALUATE = """
import json
from abotn import Evaluator
records = [
    {"episode_id": "s", "task_id": f"t{i}", "status": "stop", "success": True,
     "travel_length": 12.0 + i, "shortest_path_length": 8.0 + i}
    for i in range(4)
]
result = Evaluator().evaluate_dataset(records, metrics="all")
print(json.dumps({
    "metrics": [m.name for m in result.metrics],
    "source": {m.name: m.source for m in result.metrics},
    "groups": {k: [g.label for g in v] for k, v in result.groups.items()},
    "versions": result.provenance["versions"],
    "detour": result["detour"].value if "detour" in result else None,
}))
"""


def run(*command, cwd=None):
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, cwd=cwd, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheels(tmp_path_factory, repository) -> list[Path]:
    out = tmp_path_factory.mktemp("wheels")
    for project in (repository, repository / "examples" / "abotn-example-plugin"):
        run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, project)
    return sorted(out.glob("*.whl"))


@pytest.fixture(scope="module")
def environment(tmp_path_factory, wheels):
    """A fresh environment with this project's wheel and, through a .pth file, its dependencies."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", folder)
    scripts = folder / ("Scripts" if sys.platform == "win32" else "bin")
    python = scripts / ("python.exe" if sys.platform == "win32" else "python")
    purelib = Path(
        run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    )
    (purelib / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    install(python, wheels)
    return python


def install(python, wheels):
    pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check"]
    run(*pip, "install", "--no-deps", "--no-index", "--force-reinstall", *wheels)


def test_a_plugin_appears_when_installed_and_goes_when_uninstalled(environment, wheels, tmp_path):
    python = environment
    listed = json.loads(run(python, "-m", "abotn", "metrics", "list", "--json", cwd=tmp_path))
    rows = {row["name"]: row for row in listed["metrics"]}
    assert rows["detour"]["distribution"] == "abotn-example-plugin"
    assert rows["detour"]["version"] == "0.3.0"
    assert "by_length" in listed["groupings"]

    result = json.loads(run(python, "-c", EVALUATE, cwd=tmp_path))
    assert result["detour"] == 4.0
    assert result["source"]["detour"]["distribution"] == "abotn-example-plugin"
    assert result["source"]["success"]["distribution"] == "abotn"
    assert result["groups"]["by_length"] == ["far", "near"]
    assert result["versions"]["abotn-example-plugin"] == "0.3.0"

    pip = [sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check"]
    run(*pip, "uninstall", "--yes", "abotn-example-plugin")
    listed = json.loads(run(python, "-m", "abotn", "metrics", "list", "--json", cwd=tmp_path))
    assert "detour" not in {row["name"] for row in listed["metrics"]}
    assert "by_length" not in listed["groupings"]
    assert json.loads(run(python, "-c", EVALUATE, cwd=tmp_path))["groups"] == {}
    install(python, wheels)


def test_the_wheel_carries_the_schemas(environment, tmp_path):
    code = "from abotn.schema_files import *; print(schema_folder()); print(*schema_names())"
    folder, names = run(environment, "-c", code, cwd=tmp_path).splitlines()
    assert Path(folder).parent.name == "abotn"
    assert "evaluation.v1" in names.split()


def test_an_editable_install_finds_the_schemas_in_the_checkout(repository):
    code = "from abotn.schema_files import schema_folder; print(schema_folder())"
    assert Path(run(sys.executable, "-c", code).strip()) == repository / "schemas"
