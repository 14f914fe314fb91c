"""Scaffold."""

from numberline.analysis.values import AnalysisError as AnalysisError
