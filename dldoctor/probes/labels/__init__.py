"""Probe ``labels``: run the user's own loader and reduce each row of tokens to facts."""

from __future__ import annotations

from dldoctor.probes.labels.run import run

__all__ = ["run"]
