"""Where the colours of probe pictures went."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dldoctor.evidence.probe_pictures import SeenOrder
from dldoctor.probes.probe_pictures.drawings import COLOURS

CLEAR = 0.7
"""Share of a channel's response that one colour must make."""
ALIKE = 0.1
FAINT = 0.02
"""Share of the strongest response below which a channel does not respond at all."""
WEAK = 0.1
"""Share of a channel's strongest change below which another is none: what is called black has some faint blocks."""
ORDERS: dict[tuple[int, ...], SeenOrder] = {(0, 1, 2): "rgb", (2, 1, 0): "bgr"}
UPPER = 0.75
"""In blocks of two levels the upper quarter is of the bright one."""


def differences(black: Any, colours: Iterable[Any]) -> list[Any] | None:
    """Return by how much each colour changes the output; None where the readings have several sizes."""
    found = list(colours)
    if len(found) < len(COLOURS) or any(one.shape != black.shape for one in found):
        return None
    return [one - black for one in found]


def order_of(changes: list[Any]) -> SeenOrder | None:
    """Return the order of three channels, by the colour to which each responds; None where none is clear."""
    import torch

    if len(changes[0]) == 1:
        return "grey"
    if len(changes[0]) != len(COLOURS):
        return None
    # Rows are channels of the output, columns colours of the picture.
    table = torch.stack([one.abs().mean((1, 2)) for one in changes], 1)
    strength = table.sum(1)
    if not bool(torch.isfinite(table).all()) or float(strength.min()) <= FAINT * float(strength.max()):
        return None
    shares = table / strength[:, None]
    if float((shares - shares.mean(0)).abs().max()) < ALIKE:
        return "grey"
    if float(shares.max(1).values.min()) < CLEAR:
        return None
    return ORDERS.get(tuple(int(one) for one in shares.argmax(1)), "other")


def together(orders: Iterable[SeenOrder | None]) -> SeenOrder | None:
    """Return the order of all readings of one item."""
    clear = {one for one in orders if one in ("rgb", "bgr", "other")}
    if not clear:
        return "grey" if "grey" in set(orders) else None
    return clear.pop() if len(clear) == 1 else "varies"


def black_of(black: Any) -> list[float]:
    """Return the value of black in each channel: most of the picture is."""
    return [float(one) for one in black.flatten(1).median(1).values]


def white_of(changes: list[Any]) -> list[float]:
    """Return how far white lies above black in each channel: what the full level of all colours adds."""
    found = []
    for channel in range(len(changes[0])):
        each = [_full(one[channel]) for one in changes]
        least = WEAK * max(abs(one) for one in each)
        found.append(sum(one for one in each if abs(one) > least))
    return found


def _full(change: Any) -> float:
    flat = change.flatten()
    answering = flat[flat.abs() > 0.2 * float(flat.abs().max())] if flat.numel() else flat
    if answering.numel() < 16 or float(flat.abs().max()) == 0:
        return 0.0
    sign = 1.0 if float(answering.mean()) > 0 else -1.0
    return sign * float(_thinned(answering * sign).quantile(UPPER))


def _thinned(values: Any) -> Any:
    return values[:: max(1, len(values) // 65536)]
