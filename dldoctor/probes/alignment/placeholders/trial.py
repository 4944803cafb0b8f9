"""Reads the samples that were cut once more with a higher limit: how long must rows be for every image?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from dldoctor.child.session import Session
from dldoctor.evidence.label_rows import LabelRow
from dldoctor.evidence.placeholders import PlaceholdersEvidence, Stream
from dldoctor.probes.labels.limits import Setting, try_without
from dldoctor.probes.labels.tables import FILL, table_of
from dldoctor.roles.flatten import leaves
from dldoctor.targets import Pipeline


def with_trial(
    pipeline: Pipeline, session: Session, seen: PlaceholdersEvidence, settings: Sequence[Setting], pad: int | None
) -> PlaceholdersEvidence:  # fmt: skip
    """Return the evidence with the length that rows need, where the limit is a setting that can be raised.

    The pipeline must not be watched.
    """
    setting = next((one for one in settings if one.path == seen.limit_from), None)
    cut = [row for row in seen.rows if not row.fits and seen.limit is not None and row.real >= seen.limit]
    if setting is None or not cut or session.stopping:
        return seen
    rows = [LabelRow(sample=row.sample) for row in cut]
    trial = try_without(pipeline, session, setting, rows, _measure_of(seen.streams[cut[0].stream], pad))
    if trial is None or trial.keeps_99 is None or trial.keeps_99 <= setting.value:
        return seen
    return replace(seen, longest=max(trial.keeps_99, seen.longest_row), whole=True)


def _measure_of(stream: Stream, pad: int | None) -> Callable[[Any], list[tuple[int, int, int]]]:
    """Return what gives, for each row, its tokens and where the last placeholder ends."""

    def measure(batch: Any) -> list[tuple[int, int, int]]:
        table = table_of(dict(leaves(batch)).get(stream.tokens))
        found = []
        for row in [] if table is None else table:
            real = ((row != FILL) & (row != (FILL if pad is None else pad))).nonzero().flatten()
            held = sum((row == one).long() for one in stream.placeholder).nonzero().flatten()
            if len(real) and len(held):
                start = int(real[0])
                found.append((int(real[-1]) - start + 1, 1, int(held[-1]) - start + 1))
        return found

    return measure
