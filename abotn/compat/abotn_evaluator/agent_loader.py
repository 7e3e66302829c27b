"""Loading of agent classes under its published name."""

from abotn.agents.loader import load_class

__all__ = ["load_class"]
