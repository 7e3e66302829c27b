"""POI-goal under its published name."""
