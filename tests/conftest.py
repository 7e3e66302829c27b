from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def repository() -> Path:
    """Top folder of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder with reference cases and real maps, beside the checkout."""
    if not SHARED.is_dir():
        pytest.skip(f"no reference data in {SHARED}")
    return SHARED
