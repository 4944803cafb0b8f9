"""Notes, in the process that collates, the images and the tags of each sample before it is collated."""

from __future__ import annotations

import marshal
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from dldoctor.probes.alignment.placeholders.grids import grid_in
from dldoctor.probes.labels.trace import joined
from dldoctor.probes.wrappers import AWAY, Aside, Envelope
from dldoctor.roles.flatten import leaves
from dldoctor.roles.kinds import Kind, kind_of
from dldoctor.roles.names import name_of

TAGS = (
    "<image>", "<|image|>", "<|image_pad|>", "<image_soft_token>", "<start_of_image>", "[IMG]", "<IMG_CONTEXT>",
    "<ImageHere>", "<image_placeholder>", "<img>", "<|vision_pad|>", "<|imgpad|>",
)  # fmt: skip
"""Tags that are usual where none is declared and no tokenizer names its own."""
NUMBERED = r"<\|?image_?\d+\|?>"
LONGEST = 1 << 16
KEPT = 12
AROUND = 24
DEPTH = 6
_IMAGES = re.compile(
    r"(^|_)(image|images|img|imgs|picture|pictures|photo|photos|pil|jpg|jpeg|png|webp)s?(_(path|paths|file|files|bytes|url|urls|list))?$"
)
_NO_MASK = re.compile(r"mask|depth|label|seg|target|mean|std")


class Note(NamedTuple):
    """What one sample held."""

    images: int
    """Images; -1 where no field holds any."""
    texts: int
    """Texts that were read."""
    parts: int
    """Parts of messages that stand for an image."""
    counts: Mapping[str, int]
    """Tag to how often it occurs."""
    tags: Sequence[tuple[str, str, str, int, str]]
    """Tag, path, role, offset and what stands around it, for the first of them."""
    lengths: Mapping[str, int]
    """Path of whole numbers to how many they are."""
    grids: Mapping[str, Sequence[Sequence[int]]] = {}
    """Path of a table of two or three whole numbers a line to its lines."""


class NotedCollate:
    """Stands around the watched collate and adds notes of the samples to its record."""

    def __init__(self, inner: Callable[[Any], Any], tags: Sequence[str]) -> None:
        """Wrap the watched collate; `tags` are sought in texts."""
        self.inner, self.tags = inner, tuple(tags)

    def __getattr__(self, name: str) -> Any:
        """Read what the user's code looks for on its own collate."""
        if name.startswith("__") or name in ("inner", "tags"):
            raise AttributeError(name)
        return getattr(self.inner, name)

    def __call__(self, samples: Any) -> Any:
        """Note the samples, collate them, and send both."""
        listed = samples if isinstance(samples, (list, tuple)) else [samples]
        notes = marshal.dumps([_noted(one, self.tags) for one in listed])
        batch = self.inner(samples)
        if isinstance(batch, Envelope):
            return Envelope(batch.batch, joined(batch.record, notes))
        if isinstance(batch, Aside):
            return Aside(batch.batch, joined(batch.record, notes))
        if AWAY:  # in the main process the record was filed already
            AWAY.append(joined(AWAY.pop(), notes))
        return batch


def parted(packed: bytes) -> tuple[bytes, tuple[Note, ...]]:
    """Return record and notes."""
    record, notes = marshal.loads(packed)  # noqa: S302 - our own bytes, from our own worker
    return record, tuple(Note(*one) for one in marshal.loads(notes))  # noqa: S302 - as above


def _noted(sample: Any, tags: Sequence[str]) -> tuple[Any, ...]:
    try:
        note = note_of(sample, tags)
    except Exception:  # noqa: BLE001 - the user's objects; a sample that cannot be read has no note
        note = Note(-1, 0, 0, {}, [], {})
    told = (dict(note.counts), list(note.tags), dict(note.lengths), dict(note.grids))
    return (note.images, note.texts, note.parts, *told)


def note_of(sample: Any, tags: Sequence[str]) -> Note:
    """Return what one sample says; it is not changed, and no image is decoded."""
    pattern = re.compile(
        "|".join([*(re.escape(one) for one in sorted(tags, key=len, reverse=True)), NUMBERED])
    )
    counts: dict[str, int] = {}
    found: list[tuple[str, str, str, int, str]] = []
    texts = parts = embedded = 0
    for path, role, text in _texts(sample, "", "", 0):
        if text is None:
            parts += role != "image"
            embedded += role == "image"
            continue
        texts += 1
        for hit in pattern.finditer(text[:LONGEST]):
            tag = hit.group() if hit.group() in tags else "numbered"
            counts[tag] = counts.get(tag, 0) + 1
            if len(found) < KEPT:
                start = max(0, hit.start() - AROUND)
                found.append((tag, path, role, hit.start(), text[start : hit.end() + AROUND]))
    images, lengths, grids = _held(sample)
    images = images if images >= 0 else embedded or -1
    return Note(images, texts, parts + embedded, counts, found, lengths, grids)


def _texts(value: Any, path: str, role: str, depth: int) -> Iterator[tuple[str, str, str | None]]:
    """Yield path, role and text; a part of a message that stands for an image has no text.

    Such a part yields the role ``image`` where it holds the image itself.
    """
    kind = kind_of(type(value))
    if depth > DEPTH:
        return
    if kind is Kind.TEXT and isinstance(value, str):
        yield path, role, value
    elif kind is Kind.MAPPING:
        kept = {str(key): value[key] for key in list(value)[:64]}
        part = kept.get("type")
        if part in ("image", "image_url") and "text" not in kept:
            yield (
                path,
                "image"
                if any(kept.get(key) is not None for key in ("image", "url", "path", "image_url"))
                else role,
                None,
            )
            return
        speaker = next(
            (kept[key] for key in ("role", "from", "speaker") if isinstance(kept.get(key), str)), role
        )
        for key, item in kept.items():
            if key not in ("role", "from", "speaker", "type", "id") and not _IMAGES.search(key.lower()):
                yield from _texts(item, f"{path}.{key}" if path else key, speaker, depth + 1)
    elif kind is Kind.SEQUENCE and len(value) <= 256 and not (value and type(value[0]) in (int, float)):
        for number, item in enumerate(value):
            yield from _texts(item, f"{path}.{number}" if path else str(number), role, depth + 1)


def _held(sample: Any) -> tuple[int, dict[str, int], dict[str, list[list[int]]]]:
    """Return how many images a sample has (-1: no field for them), the lengths of whole numbers, and grids."""
    best = -1
    lengths: dict[str, int] = {}
    grids: dict[str, list[list[int]]] = {}
    for path, leaf in leaves(sample):
        kind, name = kind_of(type(leaf)), name_of(path)
        numbers = kind is Kind.SEQUENCE and len(leaf) > 1 and type(leaf[0]) is int
        if numbers or (kind in (Kind.TENSOR, Kind.ARRAY) and leaf.ndim == 1 and len(leaf) > 1):
            lengths[path] = len(leaf)
        elif (grid := grid_in(leaf)) is not None:
            grids[path] = grid
        if _NO_MASK.search(name) or not (_IMAGES.search(name) or kind is Kind.IMAGE):
            continue
        count = _images(leaf, kind)
        if count is not None:
            best = max(best, count)
    return best, lengths, grids


def _images(leaf: Any, kind: Kind) -> int | None:
    if kind is Kind.NONE:
        return 0
    if kind is Kind.IMAGE or kind is Kind.TEXT:
        return 1 if kind is Kind.IMAGE or len(leaf) else 0
    if kind in (Kind.TENSOR, Kind.ARRAY):
        return 1 if leaf.ndim in (2, 3) else int(leaf.shape[0]) if leaf.ndim == 4 else None
    if kind is Kind.SEQUENCE:
        held = [_images(one, kind_of(type(one))) for one in leaf]
        known = [one for one in held if one is not None]
        return sum(known) if len(known) == len(held) else None
    return None
