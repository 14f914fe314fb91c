"""Measurement of variants: metrics, sweeps and searches."""
