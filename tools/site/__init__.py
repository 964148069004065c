"""The documentation site: what is written by hand in docs/, and what is generated from code, results and examples."""
