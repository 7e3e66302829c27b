from pathlib import Path

import pytest
from hypothesis import settings

# Time limits on single examples fail on a busy machine and say nothing about the code.
settings.register_profile("abotn", deadline=None, derandomize=True)
settings.load_profile("abotn")

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
