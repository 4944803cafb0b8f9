"""The text of a row: decoded where a tokenizer is found, with runs of placeholders numbered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any

from dldoctor.evidence.row_media import RowText, TextPiece
from dldoctor.probes.labels.vocabulary import Tokenizer

TOKENS = 2000
CHARACTERS = 4000
IDS = 24


def text_of(path: str, text: str) -> RowText:
    """Return a text that the field holds itself."""
    return RowText(path, (TextPiece(text[:CHARACTERS]),), cut=len(text) > CHARACTERS)


def decoded(
    path: str,
    ids: Sequence[int],
    real: Sequence[bool],
    tokenizer: Tokenizer | None,
    placeholders: Iterable[int],
) -> RowText:
    """Return the ids of a row as pieces; `real` says which of them are no padding."""
    marked = frozenset(placeholders)
    special = tokenizer.special if tokenizer is not None else frozenset[int]()

    def kind(place: int) -> tuple[str, int]:
        token = ids[place]
        if token in marked or token < 0:
            return "placeholder", token
        if not real[place]:
            return "padding", 0
        return ("special", 0) if token in special else ("text", 0)

    pieces, number = [], 0
    for (name, _), run in groupby(range(min(len(ids), TOKENS)), kind):
        held = [ids[place] for place in run]
        if name == "placeholder":
            number += 1
            text = tokenizer.text(held[0]) if tokenizer is not None else f"<id:{held[0]}>"
            pieces.append(TextPiece(text, "placeholder", number, len(held)))
        elif name == "padding":
            pieces.append(TextPiece("", "padding", 0, len(held)))
        elif tokenizer is None:
            pieces.append(TextPiece(" ".join(map(str, held[:IDS])), "ids", 0, len(held)))
        else:
            pieces.append(TextPiece(_words(held, tokenizer), "special" if name == "special" else "text"))
    return RowText(path, tuple(pieces), len(ids), len(ids) > TOKENS)


def _words(ids: Sequence[int], tokenizer: Tokenizer) -> str:
    """Return the text of several ids; a tokenizer that only knows single ones is asked for each."""
    live: Any = tokenizer.live
    for options in ({"skip_special_tokens": False}, {}):
        try:
            text = live.decode(list(ids), **options)
        except Exception:  # noqa: BLE001, S112 - the user's tokenizer; the next way is tried
            continue
        if isinstance(text, str):
            return text
    parts = [tokenizer.text(one) for one in ids]
    # A vocabulary of plain words has no blanks of its own.
    return " ".join(parts) if all(part.strip() == part for part in parts) else "".join(parts)
