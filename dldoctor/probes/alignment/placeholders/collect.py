"""Takes batches one by one and keeps what they say of placeholders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from dldoctor.evidence.labels import Vocabulary
from dldoctor.evidence.placeholders import Media, PlaceholderRow, PlaceholdersEvidence, Stream
from dldoctor.finding import SampleId
from dldoctor.intent import Inferred, Intent
from dldoctor.probes.alignment.placeholders.counts import counts_of, summed_up
from dldoctor.probes.alignment.placeholders.held import Held, Learned
from dldoctor.probes.alignment.placeholders.known import Known
from dldoctor.probes.alignment.placeholders.learn import learn
from dldoctor.probes.alignment.placeholders.limit import Limit, limit_of
from dldoctor.probes.alignment.placeholders.media import MediaField, media_of
from dldoctor.probes.alignment.placeholders.notes import Note
from dldoctor.probes.alignment.placeholders.rows import rows_of
from dldoctor.probes.alignment.placeholders.tags import Noted, tags_of
from dldoctor.probes.labels.aligned import Aligned, aligned
from dldoctor.probes.labels.layout import groups_of
from dldoctor.probes.labels.limits import Setting
from dldoctor.probes.labels.own_tokens import own_tokens
from dldoctor.probes.labels.tables import table_of
from dldoctor.probes.look import one_thread
from dldoctor.roles.flatten import leaves as leaves_of
from dldoctor.roles.names import name_of
from dldoctor.roles.observer import RoleObserver

FIRST = 3
"""Batches that roles are inferred from."""
MOST_IDS = 1 << 24
"""Token ids that are kept; batches beyond are not looked at."""
WRONG_KEPT, RIGHT_KEPT = 256, 64
_CODES: dict[Media, int] = {"image": 1, "video": 2, "audio": 3}


class PlaceholderCollector:
    """Facts of the batches of one run; what they mean is settled when all are known."""

    def __init__(
        self, intent: Intent, words: Vocabulary, known: Known, settings: Sequence[Setting] = ()
    ) -> None:
        """Start with nothing; `words` and `known` hold what is declared or told by the tokenizer."""
        self.intent, self.words, self.known, self.settings = intent, words, known, settings
        self.roles: dict[str, Inferred] = {}
        self.batches = self.samples = 0
        self._observer = RoleObserver()
        self._waiting: list[tuple[int, Mapping[str, Any], tuple[SampleId, ...], tuple[Note, ...]]] | None = []
        self._held: list[Held] = []
        self._failed: list[int] = []
        self._ids = 0

    @property
    def full(self) -> bool:
        """Whether enough was kept."""
        return self._ids >= MOST_IDS

    def take(self, batch: Any, samples: Sequence[SampleId], notes: Sequence[Note]) -> None:
        """Look at one batch."""
        seen = (self.batches, dict(leaves_of(batch)), tuple(samples), tuple(notes))
        self.batches += 1
        self.samples += len(samples)
        with one_thread():
            if self._waiting is None:
                self._keep(*seen)
                return
            self._observer.batch(batch)
            self._waiting.append(seen)
            if len(self._waiting) >= FIRST:
                self._settle()

    def take_failed(self, samples: Sequence[SampleId], notes: Sequence[Note]) -> None:
        """Note the samples of a batch that the collate refused."""
        self._failed.append(self.batches)
        self._held.append(Held(self.batches, tuple(samples), {}, {}, (), {}, (), tuple(notes)))
        self.batches += 1
        self.samples += len(samples)

    def _settle(self) -> None:
        if self._waiting is None:
            return
        waiting, self._waiting = self._waiting, None
        self.roles = self._observer.roles(
            {role: path for role, path in self.intent.fields.items() if path in self._observer.paths()}
        )
        for seen in waiting:
            self._keep(*seen)

    def _keep(
        self, number: int, leaves: Mapping[str, Any], samples: tuple[SampleId, ...], notes: tuple[Note, ...]
    ) -> None:
        if self.full:
            return
        tables, real, types = {}, {}, {}
        for group in groups_of(leaves, self.roles, self.intent, len(samples)):
            found = None if group.decoder else aligned(group, leaves, len(samples))
            if found is None:
                continue
            tables[group.tokens] = found.ids[:, : found.width].clone()
            own = own_tokens(found, [()] * found.ids.shape[0], self.words)
            real[group.tokens] = own.real[:, : found.width].clone()
            types[group.tokens] = _types(leaves, found, len(samples))
            self._ids += found.ids.numel()
        rows = max((table.shape[0] for table in tables.values()), default=0)
        media = tuple(media_of(leaves, self.roles, rows)) if rows else ()
        counts = tuple(counts_of(leaves, self.roles, media, rows))
        self._held.append(Held(number, samples, tables, real, media, types, counts, notes))

    def evidence(self) -> PlaceholdersEvidence:
        """Return what all batches say together."""
        with one_thread():
            self._settle()
            kinds: tuple[Media, ...] = ("image", "video", "audio")
            streams: list[Stream] = []
            rows: list[PlaceholderRow] = []
            fits: dict[int, bool] = {}
            limit = Limit()
            for media in kinds:
                if any(field.media == media for held in self._held for field in held.media):
                    learned = learn(media, self._held, self.known)
                    first = self._rows(media, learned, len(streams), None)
                    own = limit_of(first, self._held, learned, self.intent.max_length, self.settings)
                    limit = own if own.length is not None or not limit.longest_row else limit
                    found = self._rows(media, learned, len(streams), own.length)
                    rows += found
                    streams.append(self._stream(media, learned, found))
                    _note_fits(fits, found, self._held, learned)
            # A batch that was refused does not fit, whatever the others say.
            return self._whole(streams, rows, {**fits, **dict.fromkeys(self._failed, False)}, limit)

    def _rows(self, media: Media, learned: Learned, stream: int, limit: int | None) -> list[PlaceholderRow]:
        found: list[PlaceholderRow] = []
        for held in self._held:
            field = _field(held, media)
            if field is None and not any(_field(one, media) for one in self._held):
                continue
            found += rows_of(held, field, learned, stream, limit) or []
        return found

    def _stream(self, media: Media, learned: Learned, rows: Sequence[PlaceholderRow]) -> Stream:
        fields = [field for held in self._held if (field := _field(held, media)) is not None]
        best = max(fields, key=lambda field: len(field.items))
        base = Stream(
            media, best.path, why=learned.why, items=sum(len(field.items) for field in fields),
            dummies=sum(item.dummy for field in fields for item in field.items), batches=len(fields),
        )  # fmt: skip
        if learned.hypothesis is None:
            return base
        rule = learned.hypothesis
        wrong = [row for row in rows if not row.fits]
        return replace(
            base,
            tokens=learned.tokens,
            placeholder=rule.ids,
            text=self.known.text_of(rule.ids[0]),
            known_by=rule.known_by,
            tie=rule.tie,
            unit=rule.unit(best),
            rows=len(rows),
            wrong_rows=len(wrong),
            batches=len({row.batch for row in rows}),
            wrong_batches=len({row.batch for row in wrong}),
        )

    def _whole(
        self,
        streams: Sequence[Stream],
        rows: Sequence[PlaceholderRow],
        fits: Mapping[int, bool],
        limit: Limit,
    ) -> PlaceholdersEvidence:
        wrong = [row for row in rows if not row.fits][:WRONG_KEPT]
        right = [row for row in rows if row.fits][:RIGHT_KEPT]
        sized = {stream.features for stream in streams if stream.tie == "sizes"}
        counts = [
            (held.number, held.samples, count)
            for held in self._held
            for count in held.counts
            if count.kind != "sizes" or count.against in sized
        ]
        noted = [
            Noted(held.number, sample, note)
            for held in self._held
            if len(held.samples) == len(held.notes)
            for sample, note in zip(held.samples, held.notes, strict=True)
        ]
        parsed = [text for one, text in self.known.named if one in self.known.names_of("image")]
        return PlaceholdersEvidence(
            streams=tuple(streams),
            rows=(*wrong, *right),
            counts=summed_up(counts, list(self.intent.fields.values()), fits, _items_by_row(streams, rows)),
            tags=tags_of(noted, self.intent.image_tag, fits, parsed),
            batches=self.batches,
            samples=self.samples,
            limit=limit.length,
            limit_from=limit.source,
            longest_row=limit.longest_row,
            longest=limit.longest,
            whole=limit.whole,
        )


def _field(held: Held, media: Media) -> MediaField | None:
    return next((field for field in held.media if field.media == media), None)


def _items_by_row(
    streams: Sequence[Stream], rows: Sequence[PlaceholderRow]
) -> dict[tuple[int, str], dict[int, int]]:
    """Return, by batch and path of the media, how many items each row has a run for."""
    found: dict[tuple[int, str], dict[int, int]] = {}
    for row in rows:
        held = {item for slot in row.slots if slot.length for item in slot.items}
        found.setdefault((row.batch, streams[row.stream].features), {})[row.row] = len(held)
    return found


def _note_fits(
    fits: dict[int, bool], rows: Sequence[PlaceholderRow], held: Sequence[Held], learned: Learned
) -> None:
    """Note for each batch whether everything in it fits; batches without a rule are left out."""
    if learned.hypothesis is None:
        return
    wrong = {row.batch for row in rows if not row.fits}
    for one in held:
        fits[one.number] = fits.get(one.number, True) and one.number not in wrong


def _types(leaves: Mapping[str, Any], tables: Aligned, samples: int) -> dict[str, int]:
    """Return the one id at all positions that a field of token types marks as a medium."""
    found: dict[str, int] = {}
    for path, leaf in leaves.items():
        if "token_type" not in name_of(path) or leaf is None:
            continue
        types = table_of(leaf, samples)
        if types is None or tuple(types.shape) != (tables.ids.shape[0], tables.width):
            continue
        ids = tables.ids[:, : tables.width]
        for media, code in _CODES.items():
            marked = ids[types == code]
            # The same field says "second text" for other models: then many ids are marked.
            if marked.numel() >= 2 and bool((marked == marked[0]).all()):
                one = int(marked[0])
                if bool((types[ids == one] == code).all()):
                    found[media] = one
    return found
