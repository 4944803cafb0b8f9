"""Numbers as people read them."""

from __future__ import annotations

import math

import pytest

from dldoctor.render import numbers


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ""), (0, "0"), (255, "255"), (151643, "151643"), (-2.1179, "-2.118"), (0.48312, "0.4831"),
        (0.0004, "4e-4"), (12345.678, "12346"), (1e7, "10,000,000"), (123456789, "123,456,789"),
        (75_512_345.6, "75,510,000"), (2**63, "9.22e18"), (-1.5e-30, "-1.5e-30"),
        (1e300, "1e300"), (math.inf, "inf"), (-math.inf, "-inf"), (math.nan, "nan"), (2.0, "2"), (99.996, "100"),
    ],
)  # fmt: skip
def test_numbers_have_four_digits_and_whole_ones_are_exact(value, expected):
    """A value of unknown scale is readable, and an id is never rounded."""
    assert numbers.number(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0, "0 B"), (1, "1 B"), (999, "999 B"), (1000, "1 kB"), (1234, "1.2 kB"), (999_999, "1 MB"), (123_456_789, "123 MB"),
     (1.2e9, "1.2 GB"), (8e9, "8 GB"), (3.4e15, "3400 TB")],
)  # fmt: skip
def test_sizes_carry_a_decimal_unit(value, expected):
    """Bytes are told in the unit that leaves one to three digits."""
    assert numbers.size(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0, "0 ns"), (850, "850 ns"), (3_400_000, "3.4 ms"), (999_600, "1 ms"), (610_000, "610 µs"), (61.2e9, "61.2 s"),
     (125e9, "2 min 5 s"), (3_725e9, "1 h 2 min")],
)  # fmt: skip
def test_times_carry_the_unit_that_suits_them(value, expected):
    """Nanoseconds are told in the unit that leaves one to three digits."""
    assert numbers.duration(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0, "0%"), (1, "100%"), (0.1234, "12.3%"), (0.5, "50%"), (0.00001, "<0.1%"), (0.99999, ">99.9%")],
)
def test_shares_that_are_not_quite_nothing_or_all_say_so(value, expected):
    """A share never rounds to nothing or to all."""
    assert numbers.share(value) == expected


def test_nouns_agree_with_their_number():
    """One batch, two batches."""
    texts = [numbers.counted(n, "batch", "batches") for n in (0, 1, 2, 12345)]
    assert texts == ["0 batches", "1 batch", "2 batches", "12,345 batches"]
