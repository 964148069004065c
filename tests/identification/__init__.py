"""Tests of parakin.identification, one file a module."""
