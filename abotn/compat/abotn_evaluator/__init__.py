"""The published evaluator's package name; every module here only names what lives elsewhere."""
