"""The checks behind `make check`, one module per kind. Each offers check(root) -> Findings (tools/checks/source.py)."""
