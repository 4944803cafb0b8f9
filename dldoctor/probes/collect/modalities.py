"""Which modalities a sample holds: what is None, empty or of one single value is not there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from dldoctor.probes.collect.own_id import NAMES
from dldoctor.probes.glance import Glance

ORDER = ("image", "video", "audio", "text")
NOTHING = "none of them"
TOKENS = ("input_ids", "token_ids", "tokens", "ids")
PICTURES = ("image", "pixel", "picture", "photo", "frame")
SIDE = 8
COLOURS = (1, 3, 4)
CLIP = 400
"""A row of fewer real numbers may be anything; so many are 50 ms of speech."""


class Held(NamedTuple):
    """Leaves of one modality in samples that look alike."""

    position: int
    modality: str


def held_in(seen: Glance) -> tuple[Held, ...]:
    """Return the leaves that hold a modality, as far as types and shapes tell it."""
    found = []
    for position, (path, container, dtype, _) in enumerate(seen.layout):
        name = path.rpartition(".")[2].lower()
        modality = _modality(name, container, dtype, seen.shapes[position], seen.values[position])
        if modality is not None:
            found.append(Held(position, modality))
    return tuple(found)


def combination(held: Sequence[Held], blank: frozenset[int]) -> str:
    """Return ``image+text``; leaves of `blank` positions hold one single value."""
    kinds = {one.modality for one in held if one.position not in blank}
    return "+".join(name for name in ORDER if name in kinds) or NOTHING


def _modality(
    name: str, container: str, dtype: str | None, shape: tuple[int, ...] | None, value: object
) -> str | None:
    if shape is not None and 0 in shape:
        return None
    if container in ("str", "bytes"):
        return _of_text(name, container, value)
    if "Image" in container:
        return "image"
    if shape is None:
        return None
    if container.startswith(("list[", "tuple[")):
        return "image" if any(word in name for word in PICTURES) else None
    if name in TOKENS and len(shape) == 1:
        return "text"
    return _of_array(dtype, shape) if container in ("Tensor", "ndarray") or "Tensor" in container else None


def _of_text(name: str, container: str, value: object) -> str | None:
    if container == "bytes" or name in NAMES:
        return None
    # A single word is a class or a name; what is longer than a short text is not kept.
    words = value is None or (isinstance(value, str) and " " in value.strip())
    return "text" if words else None


def _of_array(dtype: str | None, shape: tuple[int, ...]) -> str | None:
    real = dtype is not None and "float" in dtype
    if len(shape) == 4 and min(shape[-2:]) >= SIDE:
        return "video" if shape[0] > 1 else "image"
    if len(shape) == 3 and (real or dtype == "uint8"):
        coloured = shape[0] in COLOURS and min(shape[1:]) >= SIDE
        return "image" if coloured or (shape[2] in COLOURS and min(shape[:2]) >= SIDE) else None
    sound = len(shape) == 1 or (len(shape) == 2 and min(shape) <= 2)
    return "audio" if real and sound and max(shape) >= CLIP else None
