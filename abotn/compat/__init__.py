"""The published benchmark's names: importing this makes ``abotn_evaluator`` importable."""

from __future__ import annotations

from abotn.compat.finder import install

__all__ = ["install"]

install()
