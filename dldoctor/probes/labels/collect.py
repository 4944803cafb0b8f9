"""Takes batches one by one and keeps the facts of their rows."""

from __future__ import annotations

import time
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from dldoctor.evidence.label_rows import LabelRow, LabelTable
from dldoctor.evidence.labels import LabelGroup, LabelsEvidence, Marker, Vocabulary
from dldoctor.finding import SampleId
from dldoctor.intent import Inferred, Intent
from dldoctor.probes.labels.agreement import kind_of_labels
from dldoctor.probes.labels.aligned import Aligned, aligned
from dldoctor.probes.labels.answers import answer_facts
from dldoctor.probes.labels.before_after import compared
from dldoctor.probes.labels.by_source import SourceSums
from dldoctor.probes.labels.class_labels import ClassCounter
from dldoctor.probes.labels.facts import Place, reduce
from dldoctor.probes.labels.first_look import first_look
from dldoctor.probes.labels.group_state import GroupState
from dldoctor.probes.labels.markers import Speakers, occurrences, with_nearest
from dldoctor.probes.labels.own_tokens import Own, own_tokens
from dldoctor.probes.labels.provenance import Source, sample_of
from dldoctor.probes.labels.seen import Seen
from dldoctor.probes.labels.showing import Gallery
from dldoctor.probes.labels.sums import RowSums
from dldoctor.probes.labels.tables import table_of
from dldoctor.probes.labels.trace import Trace
from dldoctor.probes.labels.vocabulary import Tokenizer
from dldoctor.probes.look import one_thread
from dldoctor.roles.flatten import leaves as leaves_of
from dldoctor.roles.observer import RoleObserver

FIRST = 3
"""Batches that roles and ids are inferred from."""
ROWS_KEPT = 4096
EARLY = 64
"""Rows up to which the samples of a group are looked for again."""
SURE = 0.7


class LabelCollector:
    """Facts of the rows of one run."""

    def __init__(self, intent: Intent, tokenizer: Tokenizer | None, words: Vocabulary, marker: Marker | None,
                 speakers: Speakers | None, kept_roles: Mapping[str, Inferred]) -> None:  # fmt: skip
        """Start with nothing; `words` hold what is declared or told by the tokenizer."""
        self.intent, self.tokenizer, self.words = intent, tokenizer, words
        self.marker, self.speakers, self._kept = marker, speakers, kept_roles
        self.roles: dict[str, Inferred] = {}
        self.rows: list[LabelRow] = []
        self.groups: list[GroupState] = []
        self.batches = self.samples = 0
        self.packed_example: tuple[Mapping[str, Any], LabelGroup, Any, int] | None = None
        self._observer = RoleObserver()
        self._waiting: list[Seen] | None = []
        self._gallery = Gallery(words, tokenizer)
        self._sums = RowSums(speakers)
        self._sources = SourceSums(dict(intent.fields))
        self._dropped: dict[str, None] = {}
        self._lost_masks: dict[str, None] = {}
        self._classes: ClassCounter | None = None
        self._own_ns = 0
        self.drift: tuple[str, ...] = ()

    @property
    def full(self) -> bool:
        """Whether enough rows were kept."""
        return len(self.rows) >= ROWS_KEPT

    def take(self, batch: Any, samples: Sequence[SampleId], trace: Trace | None) -> None:
        """Look at one batch."""
        start = time.thread_time_ns()
        seen = Seen(dict(leaves_of(batch)), tuple(samples), trace, self.batches)
        self.batches += 1
        self.samples += len(samples)
        with one_thread():
            if self._waiting is None:
                self._look(seen)
            else:
                self._observer.batch(batch)
                self._waiting.append(seen)
                if len(self._waiting) >= FIRST:
                    self.settle()
        self._own_ns += time.thread_time_ns() - start

    def settle(self) -> None:
        """Infer roles and ids from the batches so far, and look at them."""
        if self._waiting is None:
            return
        waiting, self._waiting = self._waiting, None
        with one_thread():
            found = first_look(waiting, self._observer, self.intent, self._kept, self.tokenizer, self.words)
            self.roles, self.drift, self.groups, self.words = (
                found.roles,
                found.drift,
                found.groups,
                found.words,
            )
            self.marker = self.marker or found.marker
            self._classes = ClassCounter(self.roles, declared=self.intent.num_classes is not None)
            self._gallery = Gallery(self.words, self.tokenizer)
            for seen in waiting:
                self._look(seen)

    def _look(self, seen: Seen) -> None:
        if self._classes is not None:
            self._classes.add(seen.leaves, seen.samples)
        if seen.trace is not None:
            self._dropped.update(dict.fromkeys(seen.trace.dropped))
        for place, state in enumerate(self.groups):
            tables = aligned(state.group, seen.leaves, len(seen.samples))
            if tables is None or self.full:
                continue
            if state.group.label_kind == "unclear" and tables.labels is not None:
                kind = kind_of_labels(tables.ids, tables.labels, state.group.ignored)
                state.group = replace(state.group, label_kind=kind)
            self._look_at(seen, state, place, tables)

    def _look_at(self, seen: Seen, state: GroupState, place: int, tables: Aligned) -> None:
        parts, rows = state.traced(seen, tables, self.words, early=len(self.rows) < EARLY)
        own = own_tokens(tables, parts, self.words)
        ids = [sample_of(row, found, len(rows), seen.samples) for row, found in enumerate(parts)]
        end = self.words.eos if state.stream else None
        reduced = reduce(tables, own, state.group, self.words, Place(seen.number, place, ids, end))
        if reduced.documents_by != "none":
            state.group = replace(state.group, documents_by=reduced.documents_by)
        answers = answer_facts(tables, self.speakers, self.marker)
        prompts = self._prompts(seen, len(rows))
        for row, facts in enumerate(reduced.rows):
            more: dict[str, Any] = {}
            if state.source is not None and seen.trace is not None:
                more = compared(
                    tables,
                    own,
                    () if state.group.decoder else parts[row],
                    row,
                    seen.trace.samples,
                    state.source,
                    prompts,
                    state.group,
                )
            elif prompts is not None:
                more = compared(tables, own, (), row, (), Source(""), prompts, state.group)
            if self.marker is not None and tables.targets is not None:
                more["marker"] = occurrences(rows[row], self.marker.ids)
            if answers is not None:
                more |= answers[row]
            whole = replace(facts, **more) if more else facts
            self.rows.append(whole)
            self._gallery.offer(whole, tables, own, reduced.documents, state.group)
            self._note_nearest(whole, rows[row], own, row)
        if seen.trace is not None and not state.group.decoder:
            traces = seen.trace.samples
            owners = [traces[found[0].sample] if len(found) == 1 else None for found in parts]
            if not any(parts) and len(traces) == len(parts):
                owners = list(traces)
            self._sources.add(owners, own.real, tables.targets)
        self._sum_up(seen, state, tables, own, reduced.documents)

    def _note_nearest(self, facts: LabelRow, row: array[int], own: Own, number: int) -> None:
        if self.marker is None or self.marker.nearest or facts.trained or facts.marker != 0:
            return
        real = [one for one, kept in zip(row, own.real[number].tolist(), strict=False) if kept]
        self.marker = with_nearest(self.marker, real, (facts.batch, facts.row), self.tokenizer)

    def _prompts(self, seen: Seen, rows: int) -> list[int] | None:
        """Return the prompt lengths that the batch states."""
        for path, one in self.roles.items():
            if one.role == "prompt_length" and one.confidence >= SURE and path in seen.leaves:
                table = table_of(seen.leaves[path])
                if table is not None and table.numel() == rows:
                    return [int(length) for length in table.reshape(-1).tolist()]
        return None

    def _sum_up(self, seen: Seen, state: GroupState, tables: Aligned, own: Own, documents: Any) -> None:
        self._sums.add(tables, own)
        roles = {path: one.role for path, one in self.roles.items() if one.confidence >= SURE}
        self._sums.compare_lengths(seen, state.group, state.source, roles, tables)
        if state.source is not None and state.source.mask and state.source.mask not in seen.leaves:
            self._lost_masks[state.source.mask] = None
        if self.packed_example is None and int(documents.max()) > 1 and not state.group.decoder:
            row = int((documents.amax(1) > 1).int().argmax())
            self.packed_example = (seen.leaves, state.group, documents[:, : tables.width], row)

    def evidence(self) -> LabelsEvidence:
        """Return the facts so far."""
        marker = self.marker
        if marker is not None:
            held = sum(row.marker > 0 for row in self.rows)
            marker = replace(marker, rows_with=held, rows_without=sum(row.marker == 0 for row in self.rows))
        return LabelsEvidence(
            groups=tuple(state.group for state in self.groups),
            table=LabelTable.of(self.rows),
            batches=self.batches,
            samples=self.samples,
            vocabulary=self._with_end(),
            marker=marker,
            foreign={str(value): count for value, count in self._sums.negative.most_common(20)},
            apart=tuple(self._sums.apart),
            apart_count=self._sums.apart_count,
            shown=tuple(self._gallery.rows),
            turns={name: (seen, trained) for name, (seen, trained) in self._sums.turns.items()},
            by_position=self._sums.by_position(),
            by_source=self._sources.evidence(),
            dropped_keys=tuple(self._dropped),
            masks_in_samples=tuple(self._lost_masks),
            classes=self._classes.evidence() if self._classes else (),
            drift=self.drift,
            own_cpu_ns=self._own_ns,
        )

    def _with_end(self) -> Vocabulary:
        """Add the special id, other than EOS, with which most trained rows end."""
        masked = {place for place, state in enumerate(self.groups) if state.group.label_kind == "mlm"}
        ends = Counter(row.last_trained_id for row in self.rows if row.trained and row.group not in masked)
        if not ends or self.tokenizer is None:
            return self.words
        top, count = ends.most_common(1)[0]
        other = top in self.tokenizer.special and top not in (self.words.eos, self.words.pad)
        return replace(self.words, end=top) if other and count >= 0.8 * sum(ends.values()) else self.words
