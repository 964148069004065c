"""Virtual work after exact regrouping, what inverse dynamics runs by default: docs/theory/regrouping.md."""
