"""Measurement of variants: metrics, comparisons, sweeps and searches."""
