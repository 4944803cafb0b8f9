"""Which well-known mean pictures were normalised with, and in which order, told from black and white."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from dldoctor.evidence.probe_pictures import Channels

KNOWN = {"ImageNet": (0.485, 0.456, 0.406), "CLIP": (0.4815, 0.4578, 0.4082)}
"""Means of red, green and blue; their values differ by channel, so that they have an order."""
CLOSE = 0.006
"""Difference in a channel's part of the sum; the orders lie 0.06 apart."""
SUM = (0.6, 1.6)
"""How the sum may differ: a change of brightness scales all of them."""


class Constants(NamedTuple):
    """A mean that was applied."""

    name: str
    order: Literal["rgb", "bgr"]
    mean: tuple[float, ...]
    """As it was applied, by channel."""


def constants_of(seen: Sequence[Channels]) -> Constants | None:
    """Return the mean that all of these were normalised with; None where it is no well-known one."""
    found = {_one(channels) for channels in seen if not channels.whole_numbers}
    names = {one and (one.name, one.order) for one in found}
    return found.pop() if len(names) == 1 else None


def _one(channels: Channels) -> Constants | None:
    if len(channels.black) != 3 or not all(channels.white):
        return None
    mean = tuple(-black / white for black, white in zip(channels.black, channels.white, strict=True))
    total = sum(mean)
    if min(mean) <= 0:
        return None
    best = [
        (
            max(abs(own / total - one / sum(known)) for own, one in zip(mean, ordered, strict=True)),
            name,
            order,
        )
        for name, known in KNOWN.items()
        if SUM[0] < total / sum(known) < SUM[1]
        for order, ordered in (("rgb", known), ("bgr", known[::-1]))
    ]
    if not best or min(best)[0] > CLOSE:
        return None
    _, name, order = min(best)
    return Constants(name, "rgb" if order == "rgb" else "bgr", tuple(round(one, 4) for one in mean))
