"""Point-goal under its published name."""
