"""The examples in the docstrings of the room."""

import doctest
import pkgutil
from importlib import import_module

import pytest

import abotn.report

MODULES = [module.name for module in pkgutil.iter_modules(abotn.report.__path__, "abotn.report.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples_say_what_happens(name):
    assert doctest.testmod(import_module(name)).failed == 0
