"""From logs to parameters one can trust: docs/identification.md."""
