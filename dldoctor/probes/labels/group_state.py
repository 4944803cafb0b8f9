"""The groups of one run: their fields, and the fields of the samples that they were made of."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from dldoctor.evidence.labels import LabelGroup, Vocabulary
from dldoctor.intent import Intent
from dldoctor.probes.labels.agreement import kind_of_labels
from dldoctor.probes.labels.aligned import Aligned
from dldoctor.probes.labels.layout import ignored_value
from dldoctor.probes.labels.padded_samples import without_padding
from dldoctor.probes.labels.provenance import Part, Source, as_numbers, parts_of, source_of
from dldoctor.probes.labels.seen import Seen
from dldoctor.probes.labels.tables import FILL, table_of


@dataclass
class GroupState:
    """One group, and what is known of where its rows come from."""

    group: LabelGroup
    source: Source | None = None
    sought: bool = False
    stream: bool = False
    """Rows are windows of a run of documents that end tokens alone part."""

    def traced(
        self, seen: Seen, tables: Aligned, words: Vocabulary, *, early: bool
    ) -> tuple[list[tuple[Part, ...]], list[array[int]]]:
        """Return, row by row, the stretches that came from samples, and the ids as numbers.

        `early`: samples that were sought in vain are sought again.
        """
        rows = [as_numbers(row) for row in tables.ids.tolist()]
        if seen.trace is None or not seen.trace.samples:
            return [()] * len(rows), rows
        traces = seen.trace.samples
        if not self.sought or (self.source is None and early):
            self.sought = True
            self.source = source_of(rows, traces, self.group.tokens, self.group.labels)
        if self.source is None or self.group.decoder:
            return [()] * len(rows), rows
        found = [parts_of(row, number, traces, self.source.tokens) for number, row in enumerate(rows)]
        return without_padding(tables, found, words), rows

    def weigh_labels(self, waiting: Sequence[Seen], intent: Intent) -> None:
        """Tell what the labels are from all the first batches together: few targets of one batch may mislead."""
        if self.group.labels is None or self.group.decoder:
            return
        pairs = [
            (table_of(seen.leaves.get(self.group.tokens), len(seen.samples)),
             table_of(seen.leaves.get(self.group.labels), len(seen.samples)))
            for seen in waiting
        ]  # fmt: skip
        fitting = [
            (ids, labels) for ids, labels in pairs
            if ids is not None and labels is not None and ids.shape == labels.shape
        ]  # fmt: skip
        if fitting:
            ids, labels = (_joined(tables) for tables in zip(*fitting, strict=True))
            ignored = ignored_value(labels, intent)
            kind = kind_of_labels(ids, labels, ignored)
            self.group = replace(self.group, label_kind=kind, ignored=ignored)


def _joined(tables: Sequence[Any]) -> Any:
    """Return tables of several widths as one."""
    import torch

    width = max(table.shape[1] for table in tables)
    return torch.cat([torch.nn.functional.pad(one, (0, width - one.shape[1]), value=FILL) for one in tables])


def merge(states: list[GroupState], group: LabelGroup) -> None:
    """Add a group of one batch, or what this batch shows of one that is known."""
    for known in states:
        if known.group.tokens == group.tokens:
            old = known.group
            if old.label_kind in ("none", "unclear") and group.label_kind not in ("none", "unclear"):
                known.group = group
            elif group.mask_kind == "documents" and old.mask_kind == "flags":
                known.group = replace(old, mask_kind="documents", boundaries=group.mask)
            return
    states.append(GroupState(group))
