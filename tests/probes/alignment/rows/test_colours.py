"""Normalisation is undone only by what is held or shown; the values are those of the picture."""

from __future__ import annotations

import pytest
import torch

from dldoctor.probes.alignment.rows.colours import USUAL, scaling_of

BYTES = torch.randint(0, 256, (30, 20, 3), dtype=torch.uint8, generator=torch.Generator().manual_seed(5))
SHARES = BYTES.float() / 255


class Normalise:
    """Holds what a picture is normalised with, as transforms do."""

    def __init__(self, mean: list[float], std: list[float]) -> None:
        self.mean, self.std = mean, std


@pytest.mark.parametrize(("name", "mean", "std"), USUAL)
def test_usual_means_are_told_by_the_levels_of_bytes(name, mean, std):
    """What comes back are the very bytes."""
    normal = (SHARES - torch.tensor(mean)) / torch.tensor(std)
    found = scaling_of([normal], ())
    assert found.said == f"mean and deviation of {name} undone: the values lie on its 255 levels"
    assert torch.equal((found.undone(normal) * 255).round().to(torch.uint8), BYTES)


def test_what_an_object_of_the_pipeline_holds_comes_first():
    """Also where values were resampled and lie on no levels any more."""
    mean, std = [0.4, 0.3, 0.2], [0.3, 0.2, 0.1]
    blurred = (SHARES[::2] + SHARES[1::2]) / 2
    normal = (blurred - torch.tensor(mean)) / torch.tensor(std)
    found = scaling_of([normal], [("collate", Normalise(mean, std))])
    assert found.said == "mean 0.4/0.3/0.2 and deviation 0.3/0.2/0.1 of `collate` undone"
    assert torch.allclose(found.undone(normal), blurred.double(), atol=1e-6)


def test_an_object_that_does_not_fit_the_values_is_not_believed():
    """Its picture would leave black and white; nothing else is known, so the picture is stretched."""
    normal = ((SHARES[::2] + SHARES[1::2]) / 2 - 0.41) / 0.13
    found = scaling_of([normal], [("collate", Normalise([0.9], [0.05]))])
    assert found.stretch
    back = found.undone(normal)
    assert (float(back.min()), float(back.max())) == (0.0, 1.0)


def test_plain_ranges_stay_as_they_are():
    """Bytes, 0 to 1, and 0 to 255 as real numbers."""
    for values in (BYTES, SHARES, BYTES.float()):
        found = scaling_of([values], ())
        assert not found.stretch
        assert torch.allclose(found.undone(values), SHARES.double(), atol=1e-6)


def test_declared_to_be_scaled_on_the_device():
    """A dark picture of 0..255 is not taken for one of 0..1."""
    dark = torch.ones(4, 4, 3)
    assert float(scaling_of([dark], ()).undone(dark).max()) == 1.0
    assert float(scaling_of([dark], (), on_device=True).undone(dark).max()) == pytest.approx(1 / 255)


def test_one_colour_and_values_that_are_not_finite_do_no_harm():
    """A picture of one value is black; NaN is nothing."""
    flat = torch.full((4, 4, 3), -3.3)
    assert float(scaling_of([flat], ()).undone(flat).max()) == 0.0
    assert bool(scaling_of([flat * float("nan")], ()).undone(flat * float("nan")).isfinite().all())
