"""The rules of the house: who may import whom, what is imported when, and how files are named."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted((ROOT / "abotn").rglob("*.py"))
HEAVY = ("numpy", "scipy", "pandas", "cv2", "click", "rich", "matplotlib", "jsonschema", "pluggy")


def test_the_import_rules_hold():
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()",
         "--no-cache"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 kept, 0 broken" in done.stdout


def test_the_import_rules_name_every_room():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    layers = text.partition("layers = [")[2].partition("]")[0]
    named = {word for word in layers.replace('"', " ").replace(",", " ").split() if word != "|"}
    rooms = {p.stem for p in (ROOT / "abotn").iterdir() if not p.name.startswith("_")}
    assert rooms - {"py", "schemas"} == named


@pytest.mark.parametrize("arguments", [["--version"], ["--help"]])
def test_the_command_line_imports_nothing_heavy_before_it_is_needed(arguments):
    code = (
        "import sys; sys.argv = ['abotn', *sys.argv[1:]]; from abotn.__main__ import main; main();"
        f"loaded = [m for m in {HEAVY!r} if m in sys.modules]; print(loaded, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code, *arguments],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr.strip() == "[]"


def test_importing_the_package_imports_nothing_heavy():
    code = f"import sys, abotn; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_every_public_name_can_be_imported():
    import abotn

    for name in abotn.__all__:
        assert getattr(abotn, name) is not None
    assert set(abotn.__all__) <= set(dir(abotn))
    with pytest.raises(AttributeError, match="nothing_of_the_kind"):
        _ = abotn.nothing_of_the_kind


def test_no_module_has_a_name_that_says_nothing():
    empty_words = {"utils", "util", "helpers", "helper", "common", "misc"}
    assert not [p for p in MODULES if p.stem in empty_words]


def test_no_file_is_longer_than_400_lines():
    long = {str(p): n for p in MODULES if (n := len(p.read_text("utf-8").splitlines())) > 400}
    assert not long


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_every_public_name_has_a_docstring(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    missing = [
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and not ast.get_docstring(node)
        and not _is_inner(tree, node)
    ]
    assert not missing
    assert ast.get_docstring(tree) or not tree.body


def test_every_command_of_the_help_exists():
    from importlib import import_module

    from abotn.cli.commands import COMMANDS

    for module, _, attribute in (place.partition(":") for place, _ in COMMANDS.values()):
        assert callable(getattr(import_module(module), attribute))


def _is_inner(tree, node):
    functions = (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef))
    private = (n for n in ast.walk(tree) if isinstance(n, ast.ClassDef) and n.name[0] == "_")
    return any(node is not outer and node in ast.walk(outer) for outer in (*functions, *private))
