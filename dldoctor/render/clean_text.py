"""Text from the user's data, made harmless for a terminal and a page."""

from __future__ import annotations

import re
import unicodedata

_ESCAPE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor movements
    r"|\x9b[0-?]*[ -/]*[@-~]"  # the same with the one-byte introducer
    r"|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # OSC: titles, links, clipboard
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c]*(?:\x1b\\|\x9c)?"  # DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-~]"  # two-byte sequences: reset, character sets
)

_JOINERS = "\u200c\u200d"
"""Format characters that spelling and emoji need; they move nothing."""

_MARKS_KEPT = 3
"""Combining marks kept on one character; towers of them run over the neighbouring lines."""


def clean(text: str, limit: int | None = None) -> str:
    """Return `text` on one line, without escapes, control characters and direction overrides.

    With a `limit`, a longer text is cut and ends in ``…``.
    """
    cut = limit is not None and len(text) > 4 * limit + 64
    raw = text[: 4 * limit + 64] if limit is not None and cut else text
    plain = raw if raw.isascii() and raw.isprintable() else _harmless(_ESCAPE.sub("", raw))
    if limit is None or (len(plain) <= limit and not cut):
        return plain
    return plain[: max(limit - 1, 0)].rstrip() + "…"


def clean_lines(text: str) -> list[str]:
    """Return the lines of `text`, each cleaned."""
    return [clean(line) for line in text.splitlines()]


def fold_to_ascii(text: str) -> str:
    """Return `text` for an output that can only show ASCII: signs of ours spelled, the rest escaped."""
    return text.translate(_SPELLED).encode("ascii", "backslashreplace").decode("ascii")


_SPELLED = str.maketrans({
    "…": "...", "·": "-", "\xd7": "x", "µ": "u", "\u2013": "-", "—": "-", "±": "+-",
    "\u2019": "'", "\u2018": "'", "“": '"', "”": '"', "\xa0": " ",
    "→": "->", "↵": "\\n", "⇥": "\\t",
})  # fmt: skip


def _harmless(text: str) -> str:
    kept: list[str] = []
    marks = 0
    for char in text:
        kind = unicodedata.category(char)
        marks = marks + 1 if kind in ("Mn", "Me") else 0
        if char in "\t\n\r\v\f\x85" or kind in ("Zl", "Zp"):
            kept.append(" ")
        elif kind == "Cs":
            kept.append("\ufffd")
        elif kind == "Cc" or (kind == "Cf" and char not in _JOINERS) or marks > _MARKS_KEPT:
            continue
        else:
            kept.append(char)
    return "".join(kept)
