"""Agent interfaces under their published names."""
