"""The short memory under its published name."""

from abotn.rollout.memory import ShortMemory

__all__ = ["ShortMemory"]
