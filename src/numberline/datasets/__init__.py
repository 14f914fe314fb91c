"""Exports of positions, observations, prompts and values as datasets."""
