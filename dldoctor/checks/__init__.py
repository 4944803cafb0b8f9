"""WHAT IT MEANS: one fault a file, named after what is wrong. All are listed here, in order."""

from __future__ import annotations

from dldoctor.checks.base import Case, Check
from dldoctor.checks.tail_batch_of_one import TailBatchOfOne

CHECKS: tuple[Check, ...] = (
    TailBatchOfOne(),
)
"""Every check, by rule number."""

__all__ = ["CHECKS", "Case", "Check"]
