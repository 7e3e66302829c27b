"""The published package name: found, found everywhere, and left to whoever really has it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STARTUP_FILE = ROOT / "abotn" / "compat" / "abotn_evaluator.pth"
FOLDER = ROOT / "abotn" / "compat" / "abotn_evaluator"


def python(code: str, *flags: str, path: Path | None = None) -> str:
    """Run code in a process without site-packages, so that nothing is installed there."""
    added = f"import sys; sys.path[:0] = {[str(p) for p in (path, ROOT) if p]!r}; "
    done = subprocess.run(
        [sys.executable, "-S", *flags, "-c", added + code],
        capture_output=True, text=True, check=False, cwd=ROOT.parent,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_importing_the_room_makes_the_name_importable() -> None:
    code = "import abotn.compat, abotn_evaluator as a; print(a.__file__)"
    assert python(code) == str(FOLDER / "__init__.py")


def test_without_it_the_name_is_unknown() -> None:
    code = (
        "import importlib.util as u; import abotn\n"
        "print(u.find_spec('abotn_evaluator'))"
    )  # fmt: skip
    assert python(code) == "None"


def test_the_line_for_start_up_makes_the_name_importable_and_imports_nothing_itself() -> None:
    line = STARTUP_FILE.read_text()
    assert line.startswith("import ")
    assert len(line.splitlines()) == 1
    code = (
        f"exec({line!r}); before = {{m for m in sys.modules if 'abotn' in m}}\n"
        "import abotn_evaluator.point_goal as found; print(sorted(before), found.__name__)"
    )
    assert python(code) == "[] abotn_evaluator.point_goal"


@pytest.mark.parametrize("first", ["import abotn.compat", STARTUP_FILE.read_text().strip()])
def test_the_real_package_wins(first: str, tmp_path: Path) -> None:
    package = tmp_path / "abotn_evaluator"
    package.mkdir()
    (package / "__init__.py").write_text("WHO = 'real'\n")
    code = (
        f"exec({first!r}); import abotn_evaluator; print(abotn_evaluator.WHO)\n"
        "try:\n    import abotn_evaluator.scene\n"
        "except ModuleNotFoundError as error:\n    print(error.name)"
    )
    assert python(code, path=tmp_path).split() == ["real", "abotn_evaluator.scene"]


def test_a_real_package_that_a_later_finder_knows_wins_too() -> None:
    code = (
        "import abotn.compat, types, importlib.machinery as m\n"
        "class Loader:\n"
        "    def create_module(self, spec): return types.ModuleType(spec.name)\n"
        "    def exec_module(self, module): module.WHO = 'late'\n"
        "class Late:\n"
        "    @staticmethod\n"
        "    def find_spec(name, path=None, target=None):\n"
        "        return m.ModuleSpec(name, Loader()) if name == 'abotn_evaluator' else None\n"
        "sys.meta_path.append(Late)\n"
        "import abotn_evaluator; print(abotn_evaluator.WHO)"
    )
    assert python(code) == "late"


def test_installing_twice_adds_one_finder() -> None:
    code = (
        "from abotn.compat import install; n = len(sys.meta_path); install(); install()\n"
        "print(len(sys.meta_path) - n)"
    )
    assert python(code) == "0"


def test_names_are_the_same_objects() -> None:
    import abotn_evaluator.memory
    import abotn_evaluator.scene

    from abotn.rollout.memory import ShortMemory
    from abotn.scenes import Episode

    assert abotn_evaluator.memory.ShortMemory is ShortMemory
    assert abotn_evaluator.scene.Episode is Episode


def test_the_finder_answers_for_nothing_else() -> None:
    from abotn.compat.finder import PublishedNameFinder

    for name in ("abotn", "abotn_evaluator.scene", "abotn_evaluator2", "json"):
        assert PublishedNameFinder.find_spec(name) is None


@pytest.mark.parametrize("task", ["point_goal", "poi_goal"])
@pytest.mark.parametrize("module", ["runner", "metrics"])
def test_modules_run_by_their_name(task: str, module: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", f"abotn_evaluator.{task}.{module}", "--help"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"usage: abotn_evaluator.{task}.{module}")
