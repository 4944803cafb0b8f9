"""The groups of one run: their fields, and the fields of the samples that they were made of."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from dldoctor.evidence.labels import LabelGroup, Vocabulary
from dldoctor.intent import Intent
from dldoctor.probes.labels.aligned import Aligned
from dldoctor.probes.labels.layout import declared_kind, ignored_value, is_padded_text
from dldoctor.probes.labels.own_text import paired_tables, text_of_its_own
from dldoctor.probes.labels.padded_samples import without_padding
from dldoctor.probes.labels.provenance import Part, Source, as_numbers, parts_of, source_of
from dldoctor.probes.labels.seen import Seen
from dldoctor.probes.labels.tables import FILL, table_of
from dldoctor.probes.labels.trace import SampleTrace

PAIR = 2
"""A model of masked words reads two sentences at most."""


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
        if self.source is None:
            return [()] * len(rows), rows
        found = [parts_of(row, number, traces, self.source.tokens) for number, row in enumerate(rows)]
        if self.group.decoder:
            return _unpadded(found, traces, self.source.tokens, words), rows
        return without_padding(tables, found, words), rows

    def weigh_labels(self, waiting: Sequence[Seen], intent: Intent) -> str | None:
        """Tell what the labels are from all the first batches together: few targets of one batch may mislead.

        Return the path of labels that turn out to be a text of their own.
        """
        path = self.group.labels
        if path is None:
            return None
        if self.group.decoder:
            tables = _tables(waiting, path)
            self.group = replace(
                self.group,
                ignored=ignored_value(_joined(tables), intent),
                certain=self.group.certain or any(is_padded_text(path, one) for one in tables),
            )
            return None
        fitting = [
            (one.ids, one.labels)
            for one in paired_tables(self.group, waiting)
            if one.ids.shape == one.labels.shape
        ]
        if fitting:
            ids, labels = (_joined(tables) for tables in zip(*fitting, strict=True))
            ignored = ignored_value(labels, intent)
            kind = declared_kind(ids, labels, ignored, intent)
            self.group = replace(self.group, label_kind=kind, ignored=ignored)
        kind = self.group.label_kind
        if kind == "apart" or (kind in ("classes", "other") and text_of_its_own(self.group, waiting, intent)):
            self.group = replace(self.group, labels=None, label_kind="none", ignored=None)
            return path
        if kind == "mlm" and self.group.boundaries is not None and self._numbers_sentences(waiting):
            kept = "flags" if self.group.mask_kind == "documents" else self.group.mask_kind
            self.group = replace(self.group, boundaries=None, mask_kind=kept)
        return None

    def _numbers_sentences(self, waiting: Sequence[Seen]) -> bool:
        """Whether the documents of each row are the two sentences of a pair, as models of masked words read them."""
        tables = _tables(waiting, self.group.boundaries or "")
        forms = [ids.shape for ids in _tables(waiting, self.group.tokens)]
        if self.group.mask_kind == "block" or [table.shape for table in tables] != forms:
            return False
        # Document numbers that are a mask as well begin at 1: 0 is padding.
        first = 1 if self.group.mask_kind == "documents" else min(int(table.min()) for table in tables)
        return all(int(table.max()) - first < PAIR for table in tables)


def _unpadded(
    found: Sequence[tuple[Part, ...]], traces: Sequence[SampleTrace], path: str, words: Vocabulary
) -> list[tuple[Part, ...]]:
    """Return the stretches of a text of answers, where its samples came in lengths of their own.

    Answers that the dataset padded are all targets, padding included: their lengths say nothing.
    """
    own = len({part.whole for parts in found for part in parts}) > 1
    return [
        parts if own and all(traces[part.sample].sequences[path][-1] != words.pad for part in parts) else ()
        for parts in found
    ]


def all_rows(waiting: Sequence[Seen], path: str) -> Any:
    """Return the rows that the first batches have of a field, as one table."""
    return _joined(_tables(waiting, path))


def _tables(waiting: Sequence[Seen], path: str) -> list[Any]:
    found = [table_of(seen.leaves.get(path), len(seen.samples)) for seen in waiting]
    return [table for table in found if table is not None]


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
