"""Which id is the placeholder of a medium, and how it is counted: the hypothesis that batches bear out best."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from dldoctor.evidence.placeholders import KnownBy, Media
from dldoctor.probes.alignment.placeholders.accept import accepted, later, told_by, untold
from dldoctor.probes.alignment.placeholders.held import Held, Learned
from dldoctor.probes.alignment.placeholders.known import Known
from dldoctor.probes.alignment.placeholders.media import MediaField
from dldoctor.probes.alignment.placeholders.runs import break_of, runs_of
from dldoctor.probes.alignment.placeholders.ties import POOLINGS, Hypothesis, borne_out

LEAST_RUN = 4
"""A shorter run of one id may be any word."""
MERGES = (2, 1, 3, 4)
PATCHES = (14, 16, 28, 32, 8, 56)
LEARNED_FROM = 64
"""Batches that hypotheses are tried on."""


def learn(media: Media, held: Sequence[Held], known: Known) -> Learned:
    """Return the best hypothesis, or why there is none."""
    with_items = [(one, field) for one in held for field in one.media if field.media == media and field.items]
    with_items = with_items[:LEARNED_FROM]
    if not with_items:
        why = next((f.why for one in held for f in one.media if f.media == media and f.why), "")
        return Learned("", None, why or f"no batch holds a {media}")
    ranked: list[tuple[float, str, Hypothesis]] = []
    for path in dict.fromkeys(path for one, _ in with_items for path in one.tables):
        tried = [(one, field) for one, field in with_items if path in one.tables]
        ranked += [
            (_score(path, tried, one) - later(one), path, one)
            for one in _hypotheses(media, path, tried, known)
        ]
    ranked.sort(key=lambda one: -one[0])
    for score, path, hypothesis in ranked:
        if accepted(score, hypothesis, path, with_items, known):
            return Learned(path, hypothesis, told_by(hypothesis, known))
    return Learned("", None, untold(media, with_items, known, ranked[0] if ranked else None))


def _score(path: str, tried: Sequence[tuple[Held, MediaField]], hypothesis: Hypothesis) -> float:
    """Return the mean over batches of how well runs fit items."""
    scores = []
    for one, field in tried:
        units = hypothesis.units(field.items)
        if units is None:
            return 0.0
        if hypothesis.tie in ("tiles", "one", "numbered") and all(unit.optional for unit in units):
            continue
        runs = hypothesis.runs(one.tables[path])
        tile = hypothesis.number if hypothesis.tie == "tiles" else 1 if hypothesis.tie == "one" else 0
        scores.append(borne_out(runs, units, tile))
    return sum(scores) / len(scores) if scores else 0.0


def _hypotheses(
    media: Media, path: str, tried: Sequence[tuple[Held, MediaField]], known: Known
) -> Iterator[Hypothesis]:
    for ids, known_by in _ids(media, path, tried, known):
        yield from _ties(ids, known_by, path, tried, known)


def _ids(
    media: Media, path: str, tried: Sequence[tuple[Held, MediaField]], known: Known
) -> Iterator[tuple[tuple[int, ...], KnownBy]]:
    if known.declared:
        yield from (((one,), "declared") for one in known.declared)
        below = tuple(one for one in known.declared if one < 0)
        if len(below) > 1:
            yield below, "declared"
        return
    marked = {one.types[path][media] for one, _ in tried if media in one.types.get(path, {})}
    if len(marked) == 1:
        yield tuple(marked), "types"
    if media == "image" and (below := _negative(path, tried, known)):
        yield below, "negative"
    yield from (((one,), "tokenizer") for one in known.names_of(media))
    taken = {one for one, _ in known.named} | marked
    yield from (((one,), "values") for one in _repeated(path, tried, known) if one not in taken)


def _negative(path: str, tried: Sequence[tuple[Held, MediaField]], known: Known) -> tuple[int, ...]:
    found: set[int] = set()
    for one, _ in tried:
        ids = one.tables[path]
        found.update(int(token) for token in ids[(ids < 0) & (ids > -(2**30))].unique())
    found.discard(known.ignored)
    found.discard(known.pad if known.pad is not None else known.ignored)
    return tuple(sorted(found, reverse=True)) if len(found) < 64 else ()


def _repeated(path: str, tried: Sequence[tuple[Held, MediaField]], known: Known) -> list[int]:
    """Return ids that real tokens have several times on end."""
    counts: Counter[int] = Counter()
    for one, _ in tried:
        ids, real = one.tables[path], one.real[path]
        if ids.shape[1] < LEAST_RUN:
            continue
        on = real[:, : -LEAST_RUN + 1].clone()
        for step in range(1, LEAST_RUN):
            end = ids.shape[1] - LEAST_RUN + 1 + step
            on &= (ids[:, step:end] == ids[:, : -LEAST_RUN + 1]) & real[:, step:end]
        counts.update(int(token) for token in ids[:, : -LEAST_RUN + 1][on].unique())
    counts.pop(known.pad if known.pad is not None else -1, None)
    return [token for token, _ in counts.most_common(16) if token >= 0]


def _ties(
    ids: tuple[int, ...], known_by: KnownBy, path: str, tried: Sequence[tuple[Held, MediaField]], known: Known
) -> Iterator[Hypothesis]:
    field = tried[0][1]
    if field.grid:
        merges = (
            known.merge
            if known.merge_declared
            else (*known.merge, *(m for m in MERGES if m not in known.merge))
        )
        frames = (False, True) if field.media == "video" else (False,)
        yield from (Hypothesis(ids, known_by, "grid", m, by_frame=by) for m in merges for by in frames)
        return
    if field.lengths:
        yield from (Hypothesis(ids, known_by, "lengths", pooling=one) for one in POOLINGS)
        return
    if field.sizes:
        ends = (None, _line_end(ids, path, tried))
        for side in dict.fromkeys((*known.patch, *PATCHES)):
            yield from (Hypothesis(ids, known_by, "sizes", side, end) for end in dict.fromkeys(ends))
    least = LEAST_RUN if known_by == "values" else 2
    yield from (
        Hypothesis(ids, known_by, "tiles", k) for k in _tile_sizes(ids, path, tried, known) if k >= least
    )
    if known_by != "values":
        yield Hypothesis(ids, known_by, "one")
    if len(ids) > 1:
        yield Hypothesis(ids, known_by, "numbered")


def _line_end(ids: tuple[int, ...], path: str, tried: Sequence[tuple[Held, MediaField]]) -> int | None:
    ends = Counter(break_of(one.tables[path], runs_of(one.tables[path], ids)) for one, _ in tried)
    ends.pop(None, None)
    return ends.most_common(1)[0][0] if ends else None


def _tile_sizes(
    ids: tuple[int, ...], path: str, tried: Sequence[tuple[Held, MediaField]], known: Known
) -> list[int]:
    counts: Counter[int] = Counter(dict.fromkeys(known.per_tile, 1))
    for one, field in tried:
        lengths = [run.length for run in runs_of(one.tables[path], ids)]
        for kept in (field.items, [item for item in field.items if not item.dummy]):
            tiles = sum(item.tiles for item in kept)
            if tiles and sum(lengths) % tiles == 0:
                counts[sum(lengths) // tiles] += 1
        counts.update(Counter(lengths))
    return [size for size, _ in counts.most_common(8) if size > 0]
