"""How the numbers of a picture become colours: only by what is declared, held by an object, or shown by values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dldoctor.foreign import has
from dldoctor.probes.labels.reach import reachable
from dldoctor.probes.normalisations import USUAL

NAMES = (("mean", "std"), ("image_mean", "image_std"))
ROOM = 0.02
"""Resampling overshoots black and white a little."""
LEVELS, NEAR, MOST = 255, 0.02, 0.95
"""Values made from bytes lie on 255 steps: so many of them, so near."""
VALUES = 4096


@dataclass(frozen=True)
class Scaling:
    """What brings values back to 0..1."""

    mean: tuple[float, ...] = (0.0,)
    std: tuple[float, ...] = (1.0,)
    said: str = "as they are"
    stretch: bool = False
    """Nothing is known: the least value becomes black, the greatest white."""

    def undone(self, pixels: Any) -> Any:
        """Return floats ``[H, W, C]`` of 0 to 1."""
        import torch

        values = pixels.double().nan_to_num(0.0, 0.0, 0.0)
        if self.stretch:
            low, high = values.aminmax()
            return (values - low) / (high - low) if float(high) > float(low) else values * 0
        mean, std = (torch.tensor(one, dtype=torch.float64) for one in (self.mean, self.std))
        return values * std + mean


AS_BYTES = Scaling(std=(1 / 255,), said="bytes as they are")


def scaling_of(
    pictures: Sequence[Any], starts: Iterable[tuple[str, Any]], on_device: bool = False
) -> Scaling:
    """Return how the pictures ``[H, W, C]`` of one field are brought back to 0..1, all in the same way."""
    if not pictures or all(not one.is_floating_point() for one in pictures):
        high = max((float(one.max()) for one in pictures if one.numel()), default=0.0)
        return AS_BYTES if high <= LEVELS else Scaling(stretch=True, said="stretched from least to greatest")
    low = min(float(one.min()) for one in pictures)
    high = max(float(one.max()) for one in pictures)
    if low >= -1e-4 and high <= 1 + 1e-4 and not on_device:
        return Scaling(said="0 to 1 as they are")
    if low >= 0 and high <= LEVELS and (on_device or high > 2):
        return Scaling(std=(1 / LEVELS,), said="0 to 255 as they are")
    channels = int(pictures[0].shape[-1])
    values = _spread(pictures, channels)
    for place, mean, std in _held(starts):
        one = Scaling(mean, std, f"mean {_short(mean)} and deviation {_short(std)} of `{place}` undone")
        if len(mean) in (1, channels) and _fits(one, values):
            return one
    for name, mean, std in USUAL:
        one = Scaling(mean, std, f"mean and deviation of {name} undone: the values lie on its 255 levels")
        if len(mean) in (1, channels) and _fits(one, values) and _on_levels(one, values):
            return one
    return Scaling(
        stretch=True, said="stretched from least to greatest: what they were normalised with is not known"
    )


def _spread(pictures: Sequence[Any], channels: int) -> Any:
    """Return some pixels of all pictures, the extremes of each channel among them."""
    import torch

    parts = []
    for one in pictures:
        flat = one.double().reshape(-1, channels)
        parts += [
            flat[:: max(1, len(flat) * len(pictures) // VALUES)],
            flat.amin(0)[None],
            flat.amax(0)[None],
        ]
    return torch.cat(parts)


def _fits(one: Scaling, values: Any) -> bool:
    back = one.undone(values)
    return bool((back >= -ROOM).all() and (back <= 1 + ROOM).all())


def _on_levels(one: Scaling, values: Any) -> bool:
    steps = one.undone(values) * LEVELS
    near = (steps - steps.round()).abs() < NEAR
    return float(near.double().mean()) >= MOST


def _held(
    starts: Iterable[tuple[str, Any]],
) -> Iterable[tuple[str, tuple[float, ...], tuple[float, ...]]]:
    """Yield what objects of the pipeline hold as mean and deviation of pictures."""
    for name, start in starts:
        for path, one in reachable(start, name):
            own = vars(one) if has(one, "__dict__") else {}
            for first, second in NAMES:
                mean, std = _numbers(own.get(first)), _numbers(own.get(second))
                if mean and std and len(mean) == len(std) and all(value > 0 for value in std):
                    yield path, mean, std


def _numbers(value: Any) -> tuple[float, ...]:
    try:
        found = value.reshape(-1).tolist() if has(value, "reshape") else list(value)
        return tuple(float(one) for one in found) if len(found) in (1, 3) else ()
    except Exception:  # noqa: BLE001 - the user's objects
        return ()


def _short(values: tuple[float, ...]) -> str:
    return "/".join(f"{value:.3g}" for value in values)
