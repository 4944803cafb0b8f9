"""What the user declares, the tokenizer names and the processor's attributes say of placeholders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from dldoctor.evidence.placeholders import Media
from dldoctor.foreign import has
from dldoctor.intent import Intent
from dldoctor.probes.labels.reach import reachable
from dldoctor.probes.labels.vocabulary import Tokenizer

WORDS: dict[Media, tuple[str, ...]] = {
    "video": ("video",),
    "audio": ("audio", "sound", "speech"),
    "image": ("image", "img", "vision", "patch", "picture"),
}
_MERGE = ("merge_size", "spatial_merge_size")
_PATCH = ("patch_size",)
_PER_TILE = (
    "image_seq_length", "image_seq_len", "num_image_token", "num_image_tokens", "image_token_len",
    "mm_tokens_per_image", "tokens_per_image", "mp_image_token_length", "num_query_tokens",
)  # fmt: skip


@dataclass(frozen=True)
class Known:
    """What is known before a batch is looked at."""

    declared: tuple[int, ...] = ()
    named: tuple[tuple[int, str], ...] = ()
    """Placeholder ids of the tokenizer, with their text."""
    pad: int | None = None
    ignored: int = -100
    merge: tuple[int, ...] = ()
    """Patches that are merged a side, the declared number alone where there is one."""
    merge_declared: bool = False
    patch: tuple[int, ...] = ()
    per_tile: tuple[int, ...] = ()

    def names_of(self, media: Media) -> tuple[int, ...]:
        """Return the ids whose text names a medium."""
        return tuple(one for one, text in self.named if medium_of(text) == media)

    def text_of(self, token: int) -> str:
        """Return the text of an id, where the tokenizer tells."""
        return next((text for one, text in self.named if one == token), "")


def medium_of(text: str) -> Media | None:
    """Return the medium that the text of a token names."""
    low = text.lower()
    return next((media for media, words in WORDS.items() if any(word in low for word in words)), None)


def known_of(
    intent: Intent, tokenizer: Tokenizer | None, pad: int | None, starts: Sequence[tuple[str, Any]]
) -> Known:
    """Return what is declared, named, or an attribute of what hangs on `starts`."""
    found = dict(_attributes(starts))
    named = tuple((one, tokenizer.text(one)) for one in tokenizer.placeholders) if tokenizer else ()
    merge = (intent.merge_size,) if intent.merge_size else found.get("merge", ())
    sides = found.get("patch", ())
    return Known(
        declared=intent.image_token_id,
        named=named,
        pad=pad,
        ignored=-100 if intent.ignore_index is None else intent.ignore_index,
        merge=merge,
        merge_declared=bool(intent.merge_size),
        patch=tuple(dict.fromkeys(side * by for side in sides for by in (*found.get("merge", ()), 1))),
        per_tile=found.get("per_tile", ()),
    )


def _attributes(starts: Sequence[tuple[str, Any]]) -> Iterator[tuple[str, tuple[int, ...]]]:
    found: dict[str, dict[int, None]] = {}
    for name, start in starts:
        for _, holder in reachable(start, name):
            own = vars(holder) if hasattr(holder, "__dict__") else {}
            for kind, names in (("merge", _MERGE), ("patch", _PATCH), ("per_tile", _PER_TILE)):
                for one in names:
                    value = _side(own.get(one))
                    if value is not None:
                        found.setdefault(kind, {})[value] = None
    yield from ((kind, tuple(values)) for kind, values in found.items())


def _side(value: Any) -> int | None:
    """Return a whole number, also of ``{"height": 16, "width": 16}``."""
    if has(value, "get"):
        value = value.get("height")
    return value if type(value) is int and 0 < value < 1 << 16 else None
