from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def reference():
    """The plain reference rules of this folder."""
    path = Path(__file__).with_name("reference.py")
    spec = importlib.util.spec_from_file_location("collision_reference", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
