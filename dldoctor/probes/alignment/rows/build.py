"""One row of a batch as it is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dldoctor.evidence.row_media import MediaRow, RowFact, RowText
from dldoctor.foreign import has
from dldoctor.probes.alignment.pictures import paths_of
from dldoctor.probes.alignment.rows.media import Held, Reading, marks_of, named, pictures_of
from dldoctor.probes.alignment.rows.sounds import sound_of
from dldoctor.probes.alignment.rows.texts import decoded, text_of
from dldoctor.probes.arrays import is_array
from dldoctor.probes.frames import shown_path
from dldoctor.probes.labels.vocabulary import Tokenizer
from dldoctor.probes.look import as_tensor
from dldoctor.roles.infer import KNOWN_FROM

FACTS, SHAPES, FILES, SHORT = 10, 24, 8, 200
TEXT_FROM = 40
"""A text of so many characters is shown as one, whatever its role."""
SHOWN = {
    "picture": ("pixel_values", "video"),
    "sound": ("audio",),
    "text": ("token_ids", "text"),
    "boxes": ("boxes",),
    "mask": ("segmentation_mask",),
    "points": ("keypoints",),
}


@dataclass(frozen=True)
class Words:
    """What text is decoded with."""

    tokenizer: Tokenizer | None
    placeholders: frozenset[int]
    pad: int | None = None


def row_of(
    base: MediaRow, held: Held, sample: Held, reading: Reading, words: Words, seconds: float
) -> MediaRow:
    """Return the row with all that its fields hold; what only the sample holds is taken from there."""
    alone = _only_in_sample(held, sample, reading)
    together = {**held, **{path: sample[path] for path in alone}}
    row = replace(
        base,
        files=tuple(shown_path(one) for one in base.files[:FILES]),
        alone=tuple(alone),
        pictures=pictures_of(together, reading),
        sounds=tuple(
            one
            for path in paths_of("audio", reading.roles, together)[:2]
            if (one := sound_of(path, together[path], held, sample, base.files, seconds)) is not None
        ),
        texts=_texts(together, reading, words),
        labels=_labels(together, reading),
        facts=_facts(together, reading),
        shapes=_shapes(held or sample),
        own_id=_own_id(together, reading),
    )
    return replace(row, **marks_of(row, together, reading))


def _only_in_sample(held: Held, sample: Held, reading: Reading) -> list[str]:
    """Return fields of the sample of the kinds that the row itself has not."""
    found = []
    for roles in (*SHOWN.values(), ("sample_id",)):
        if not any(paths_of(role, reading.roles, held) for role in roles):
            found += [
                path for role in roles for path in paths_of(role, reading.roles, sample) if path not in held
            ]
    return [path for path in dict.fromkeys(found) if not _is_empty(sample[path])]


def _is_empty(leaf: Any) -> bool:
    return leaf is None or (isinstance(leaf, (list, tuple, str)) and not leaf)


def _texts(held: Held, reading: Reading, words: Words) -> tuple[RowText, ...]:
    found = []
    for path in paths_of("token_ids", reading.roles, held)[:2]:
        table = as_tensor(held[path])
        if table is None or table.ndim != 1 or table.is_floating_point():
            continue
        ids = [int(one) for one in table.tolist()]
        found.append(
            decoded(path, ids, _real(ids, held, reading, words), words.tokenizer, words.placeholders)
        )
    texts = paths_of("text", reading.roles, held)
    texts += [path for path, leaf in held.items() if path not in texts and _is_long(leaf)]
    for path in texts[:4]:
        leaf = held[path]
        parts = [leaf] if isinstance(leaf, str) else leaf if isinstance(leaf, (list, tuple)) else []
        whole = "\n".join(part for part in parts[:16] if isinstance(part, str))
        if whole:
            found.append(text_of(path, whole))
    return tuple(found)


def _is_long(leaf: Any) -> bool:
    if isinstance(leaf, (list, tuple)):
        return any(isinstance(one, str) and _is_long(one) for one in leaf[:16])
    return isinstance(leaf, str) and (len(leaf) >= TEXT_FROM or " " in leaf.strip())


def _real(ids: Sequence[int], held: Held, reading: Reading, words: Words) -> list[bool]:
    for path in paths_of("attention_mask", reading.roles, held):
        mask = as_tensor(held[path])
        if mask is not None and mask.ndim == 1 and len(mask) == len(ids):
            return [bool(one) for one in mask.tolist()]
    if words.pad is None:
        return [True] * len(ids)
    ends = len(ids)
    while ends and ids[ends - 1] == words.pad:
        ends -= 1
    starts = 0
    while starts < ends and ids[starts] == words.pad:
        starts += 1
    # One pad id at the end may be the end of the text itself.
    return [starts <= at < ends for at in range(len(ids))]


def _labels(held: Held, reading: Reading) -> tuple[RowFact, ...]:
    found = []
    for role in ("class_label", "labels"):
        for path in paths_of(role, reading.roles, held):
            table = as_tensor(held[path])
            if table is None and isinstance(held[path], (bool, int, float)):
                found.append(RowFact(path, _value(held[path], reading.classes), role))
            elif table is not None and table.numel() == 1:
                found.append(RowFact(path, _value(table.reshape(-1)[0].item(), reading.classes), role))
            elif isinstance(held[path], str):
                found.append(RowFact(path, held[path][:SHORT], role))
    return tuple(found)


def _value(value: Any, classes: Mapping[int, str]) -> str:
    return named(value, classes) if isinstance(value, int) else f"{value:.6g}"


def _facts(held: Held, reading: Reading) -> tuple[RowFact, ...]:
    """Return short values of fields that nothing else shows."""
    taken = {"class_label", "labels", "text", "sample_id"}
    found = []
    for path, leaf in held.items():
        role = _role(path, reading)
        if role in taken or _is_long(leaf):
            continue
        if isinstance(leaf, (str, bool, int, float)):
            text = f"{leaf:.6g}" if isinstance(leaf, float) else str(leaf)
        elif is_array(leaf) and as_tensor(leaf) is not None and as_tensor(leaf).numel() == 1:
            text = f"{as_tensor(leaf).reshape(-1)[0].item():.6g}"
        else:
            continue
        found.append(RowFact(path, text[:SHORT], role))
    return tuple(found[:FACTS])


def _role(path: str, reading: Reading) -> str:
    one = reading.roles.get(path)
    return one.role if one is not None and one.confidence >= KNOWN_FROM else ""


def _shapes(held: Held) -> tuple[RowFact, ...]:
    found = []
    for path, leaf in held.items():
        if is_array(leaf) and len(leaf.shape):
            found.append(RowFact(path, "x".join(str(int(n)) for n in leaf.shape)))
        elif has(type(leaf), "getbands"):
            found.append(RowFact(path, f"{leaf.size[0]}x{leaf.size[1]} {leaf.mode}"))
    return tuple(found[:SHAPES])


def _own_id(held: Held, reading: Reading) -> str:
    for path in paths_of("sample_id", reading.roles, held):
        leaf = held[path]
        table = None if isinstance(leaf, (str, int)) else as_tensor(leaf)
        if isinstance(leaf, (str, int)) or (table is not None and table.numel() == 1):
            return str(leaf if table is None else table.reshape(-1)[0].item())[:SHORT]
    return ""
