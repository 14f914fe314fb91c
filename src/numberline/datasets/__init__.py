"""Datasets: exports of positions, observations, prompts and values."""
