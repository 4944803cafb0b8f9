"""What a row is to a sample: equal, a padded or shortened copy, scaled, or a part cut out of it."""

from __future__ import annotations

from typing import Any, Literal

from dldoctor.probes.provenance.content import RICH, Content, close, equal

How = Literal["equal", "padded", "truncated", "scaled", "cropped", "altered", "anything"]
"""`anything`: what they share is a stretch of one value, which fits many."""
ALIKE = 0.9999
"""Correlation of a copy that was only scaled and moved."""
KEPT = 0.5
"""Share of the numbers that stay where some are replaced on purpose (masked tokens)."""
FLAGS = 2
"""So few different numbers are the same in half of their places by chance."""
SHORTEST_TEXT = 4


def copied(row: Content, piece: Content) -> How | None:
    """Return what a row is to what a sample gave, as long as nothing but its size was changed."""
    if equal(row, piece):
        return "equal"
    if row.text is not None or piece.text is not None:
        return _shortened_text(row, piece)
    a, b = row.numbers, piece.numbers
    if a.ndim != b.ndim or a.ndim == 0 or tuple(a.shape) == tuple(b.shape):
        return None
    if a.dtype != b.dtype:
        b = b.to(a.dtype)
    undecided: How | None = None
    for place in ("start", "end", "middle"):
        how = _at(a, b, place)
        if how in ("padded", "truncated"):
            return how
        undecided = how or undecided
    return undecided


def _shortened_text(row: Content, piece: Content) -> How | None:
    if row.text is None or piece.text is None or len(row.text) < SHORTEST_TEXT:
        return None
    return "truncated" if piece.text.startswith(row.text) or piece.text.endswith(row.text) else None


def _at(row: Any, piece: Any, place: str) -> How | None:
    """Lay one over the other at one end (or in the middle) of each axis."""
    inner, outer = [], []
    for have, gave in zip(row.shape, piece.shape, strict=True):
        both = min(have, gave)
        inner.append(_part(have, both, place))
        outer.append(_part(gave, both, place))
    shared = row[tuple(inner)]
    if shared.numel() < 2 or not close(shared, piece[tuple(outer)]):
        return None
    grown = any(have > gave for have, gave in zip(row.shape, piece.shape, strict=True))
    if grown and not _rest_is_plain(row, tuple(inner)):
        return None
    if bool((shared == shared.reshape(-1)[0]).all()):
        return "anything"
    return "padded" if grown else "truncated"


def _part(length: int, kept: int, place: str) -> slice:
    start = {"start": 0, "end": length - kept, "middle": (length - kept) // 2}[place]
    return slice(start, start + kept)


def _rest_is_plain(row: Any, inner: tuple[slice, ...]) -> bool:
    """Whether what surrounds the copy has one value, in each channel of an image."""
    import torch

    outside = torch.ones(row.shape, dtype=torch.bool)
    outside[inner] = False
    if bool((row[outside] == row[outside][0]).all()):
        return True
    channels = row if row.ndim == 3 and row.shape[0] <= 4 else ()
    return len(channels) > 0 and all(
        bool((one[rest] == one[rest][0]).all())
        for one, rest in zip(channels, outside, strict=True)
        if bool(rest.any())
    )


def altered(row: Content, piece: Content) -> How | None:
    """Return what a row is to a sample if its values were changed too: scaled, cut out, masked."""
    if row.text is not None or piece.text is not None or not (row.rich and piece.rich):
        return None
    a, b = row.numbers, piece.numbers
    if tuple(a.shape) == tuple(b.shape):
        if a.is_floating_point():
            return "scaled" if _correlation(a, b) >= ALIKE else None
        return "altered" if a.ndim == 1 and _share_kept(a, b) >= KEPT else None
    if a.ndim == b.ndim and a.ndim and all(x <= y for x, y in zip(a.shape, b.shape, strict=True)):
        return "cropped" if _lies_within(a, b) else None
    return None


def _correlation(one: Any, other: Any) -> float:
    a, b = one.double().reshape(-1), other.double().reshape(-1)
    a, b = a - a.mean(), b - b.mean()
    scale = float(a.norm() * b.norm())
    return float(a @ b) / scale if scale > 0 else 0.0


def _share_kept(one: Any, other: Any) -> float:
    """Return the share of equal numbers where either of the two is not their commonest value (padding)."""
    import torch

    values, counts = torch.unique(other, return_counts=True)
    if len(values) <= FLAGS:
        return 0.0
    real = other != values[counts.argmax()]
    if int(real.sum()) < RICH:
        real = torch.ones_like(real)
    return float((one[real] == other[real]).double().mean())


def _lies_within(part: Any, whole: Any) -> bool:
    """Whether an image or a sound is a part of another one, found by a few of its elements."""
    if part.dtype != whole.dtype:
        return False
    room = [large - small + 1 for large, small in zip(whole.shape, part.shape, strict=True)]
    hits = None
    for step in (0, 1, 2, 3, 4, 5):
        spot = tuple((small - 1) * step // 5 for small in part.shape)
        window = whole[tuple(slice(at, at + n) for at, n in zip(spot, room, strict=True))]
        same = (window - part[spot]).abs() <= 1e-6 if part.is_floating_point() else window == part[spot]
        hits = same if hits is None else hits & same
    assert hits is not None
    for at in hits.nonzero()[:8].tolist():
        piece = whole[tuple(slice(start, start + n) for start, n in zip(at, part.shape, strict=True))]
        if close(part, piece):
            return True
    return False
