"""Variants against each other, measured."""
