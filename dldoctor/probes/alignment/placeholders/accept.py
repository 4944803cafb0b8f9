"""Whether what batches bear out is enough to judge by, and in which words it is told."""

from __future__ import annotations

from collections.abc import Sequence

from dldoctor.evidence.placeholders import KnownBy, Media
from dldoctor.probes.alignment.placeholders.held import Held
from dldoctor.probes.alignment.placeholders.known import Known
from dldoctor.probes.alignment.placeholders.media import MediaField
from dldoctor.probes.alignment.placeholders.ties import Hypothesis

ENOUGH = 0.5
"""Share of the items that a hypothesis must explain, over all batches."""
MOST = 0.75
"""The same for one placeholder an item: of two pictures of each image, half would be explained."""
SURE_ENOUGH = 0.9
ODD = 0.1
"""Share of runs that may be no whole number of tiles."""


def later(hypothesis: Hypothesis) -> float:
    """Return what is taken off the score, so that of two that explain the same the stronger is taken."""
    order: dict[KnownBy, float] = {
        "declared": 0.0,
        "types": 0.001,
        "negative": 0.002,
        "tokenizer": 0.003,
        "values": 0.02,
    }
    plain = 0.3 if hypothesis.tie == "one" else 0.1 if hypothesis.tie == "numbered" else 0.0
    return (
        order[hypothesis.known_by] + plain + 0.0001 * bool(hypothesis.line_end) + 0.0001 * hypothesis.by_frame
    )


def _broken(hypothesis: Hypothesis, path: str, tried: Sequence[tuple[Held, MediaField]]) -> float:
    """Return the share of runs that are no whole number of tiles, but for those at the end of a row.

    Where it is large, the placeholders of an image follow from something that is not in the batch.
    """
    odd = total = 0
    for one, _ in tried:
        ids, real = one.tables[path], one.real[path]
        for run in hypothesis.runs(ids):
            end = run.at + run.length
            cut = (
                end == ids.shape[1]
                or not bool(real[run.row, end])
                or run.at == 0
                or not bool(real[run.row, run.at - 1])
            )
            total += 1
            odd += run.length % hypothesis.number > 0 and not cut
    return odd / total if total else 0.0


def accepted(
    score: float, hypothesis: Hypothesis, path: str, tried: Sequence[tuple[Held, MediaField]], known: Known
) -> bool:
    """Whether a score is enough: less where id and arithmetic are known, more where they are guessed."""
    score += later(hypothesis)
    if hypothesis.known_by != "values" and hypothesis.tie == "grid" and hypothesis.number in known.merge:
        return True  # id and arithmetic are both known: whatever differs is the batch's fault
    if score < (MOST if hypothesis.tie in ("one", "numbered") else ENOUGH):
        return False
    items = sum(len(field.items) for _, field in tried)
    if hypothesis.tie == "tiles":
        if any(field.sizes for _, field in tried) and (score < SURE_ENOUGH or _cut_in_tiles(tried)):
            return False
        if hypothesis.known_by == "values":
            return items >= 3 and score >= SURE_ENOUGH
        if hypothesis.number not in known.per_tile and _broken(hypothesis, path, tried) > ODD:
            return False
    return True


def _cut_in_tiles(tried: Sequence[tuple[Held, MediaField]]) -> bool:
    """Tiles beside sizes: how many placeholders an image has follows from a table that is not in the batch."""
    return any(item.tiles > 1 for _, field in tried for item in field.items)


def told_by(hypothesis: Hypothesis, known: Known) -> str:
    """Return in words how the placeholder is known."""
    how = {
        "declared": "declared", "types": "marked by the token types of the batch", "tokenizer": "named by the tokenizer",
        "negative": "the negative ids of the batch", "values": "the id whose runs fit the items",
    }[hypothesis.known_by]  # fmt: skip
    return f"{how}; --merge-size was declared" if known.merge_declared and hypothesis.tie == "grid" else how


def untold(
    media: Media, tried: Sequence[tuple[Held, MediaField]], known: Known, best: tuple[float, str, Hypothesis] | None
) -> str:  # fmt: skip
    """Return in words why there is no hypothesis to judge by."""
    field = tried[0][1]
    told = "a field with the patches of each image, if there is one, is declared with --field image_grid=PATH"
    if field.sizes and _cut_in_tiles(tried):
        return (
            f"how many placeholders an image in tiles of several sizes (`{field.sizes}`) has cannot be told from"
            f" a batch; {told}"
        )
    ids = known.declared or known.names_of(media)
    things = "sounds" if media == "audio" else f"{media}s"
    if not ids and media == "audio" and best is None:
        return f"no id of the texts stands for the sounds of `{field.path}`; a transcript needs none"
    if not ids and (best is None or best[2].known_by == "values"):
        return f"no id could be told to stand for the {things} of `{field.path}`; declare it with --image-token-id"
    number = best[2].ids[0] if best else ids[0]
    if field.grid and not known.merge_declared:
        option = f"--merge-size declares how many patches of `{field.grid}` a placeholder's side stands for"
    elif not known.declared:
        option = "--image-token-id declares another id, if this is not the placeholder"
    else:
        option = "--field audio_lengths=PATH declares their lengths" if media == "audio" else told
    return f"no rule explains the runs of id {number} by the {things} of `{field.path}`; {option}"
