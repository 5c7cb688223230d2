"""Runs Ox in the harnesses with which coding agents are compared."""
