"""Agent configuration under its published name."""

from abotn.agents.config import load_agent_config, load_yaml, merge_cli_args

__all__ = ["load_agent_config", "load_yaml", "merge_cli_args"]
