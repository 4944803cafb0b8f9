"""Names a sample of a stream by its content, since nothing else names it."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

from dldoctor.foreign import attribute, has
from dldoctor.probes.collect.own_id import NAMES
from dldoctor.probes.digest import digest
from dldoctor.roles.flatten import leaves

_SIZE = 8
_MASK = (1 << 63) - 1


class Keys(NamedTuple):
    """Three ways to tell a sample from others; 0 where there is none."""

    own: int
    """Of the dataset's own name for it: a key, a path, a number."""
    quiet: int
    """Of what augmentation seldom touches: texts, whole numbers, token ids."""
    full: int
    """Of all that can be compared."""
    text: str
    """How a person would name it."""


def keys_of(sample: Any, declared: str | None) -> Keys:
    """Return the keys of one sample; `declared` is the path of its own id, if the user named one."""
    found = leaves(sample)
    name = _own(found, declared)
    quiet, full = hashlib.blake2b(digest_size=_SIZE), hashlib.blake2b(digest_size=_SIZE)
    calm = False
    for path, leaf in found:
        value = digest(leaf)
        if value is None:
            continue
        entry = f"{path}={value};".encode()
        full.update(entry)
        if not _is_loud(leaf):
            calm = True
            quiet.update(entry)
    own = _number(hashlib.blake2b(repr(name).encode(errors="replace"), digest_size=_SIZE)) if name else 0
    return Keys(
        own, _number(quiet) if calm else 0, _number(full), str(name[1])[:40] if name else _shown(found)
    )


def rows_of(sample: Any) -> list[Any]:
    """Return the samples of a batch that the dataset itself made, where its fields agree on their number."""
    fields = sample if isinstance(sample, (list, tuple)) else None
    if isinstance(sample, dict):
        fields = list(sample.values())
    if not fields:
        return [sample]
    try:
        sizes = {len(field) for field in fields}
    except TypeError:
        return [sample]
    if len(sizes) != 1 or any(isinstance(field, (str, bytes)) for field in fields):
        return [sample]
    if isinstance(sample, dict):
        return [dict(zip(sample, row, strict=True)) for row in zip(*fields, strict=True)]
    return [list(row) for row in zip(*fields, strict=True)]


def _own(found: list[tuple[str, Any]], declared: str | None) -> tuple[str, Any] | None:
    named = {
        (path if declared else path.rsplit(".", 1)[-1].lower()): (path, value)
        for path, leaf in reversed(found)
        if isinstance(value := _scalar(leaf), (str, int)) and not isinstance(value, bool)
    }
    if declared:
        return named.get(declared)
    return next((named[name] for name in NAMES if name in named), None)


def _scalar(leaf: Any) -> Any:
    if attribute(leaf, "shape", None) == () and has(leaf, "item"):
        return leaf.item()
    return leaf.decode(errors="replace") if isinstance(leaf, bytes) and len(leaf) <= 200 else leaf


def _is_loud(leaf: Any) -> bool:
    kind = str(attribute(leaf, "dtype", ""))
    if kind:
        return "float" in kind or "complex" in kind or (kind.endswith("uint8") and leaf.ndim > 1)
    return isinstance(leaf, float) or has(type(leaf), "getbands")


def _shown(found: list[tuple[str, Any]]) -> str:
    for _, leaf in found:
        value = _scalar(leaf)
        if isinstance(value, (str, int)):
            return " ".join(str(value).split())[:24]
    if not found:
        return ""
    first = found[0][1]
    flat = first.reshape(-1)[:3].tolist() if has(first, "reshape") else str(type(first).__name__)
    return str(flat)[:24]


def _number(found: Any) -> int:
    return (int.from_bytes(found.digest(), "little") & _MASK) or 1
