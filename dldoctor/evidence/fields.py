"""Statistics of one field of the samples or of the batches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dldoctor.evidence.distribution import Distribution, Tally
from dldoctor.finding import SampleId


@dataclass(frozen=True)
class Offenders:
    """Samples with one property: how many, and which."""

    count: int = 0
    samples: tuple[SampleId, ...] = ()
    """The first 20."""


@dataclass(frozen=True)
class FieldEvidence:
    """One leaf of the sample (or batch), addressed by a dotted path of keys and positions.

    Counts are over the samples (or batches) that were seen; `checked` says over how many of
    them the values were looked at, which is fewer when looking would have slowed the loader.
    """

    path: str
    stage: Literal["sample", "batch"]
    container: str
    """Commonest type: ``Tensor``, ``ndarray``, ``PIL.Image``, ``str``, ``int``, ``list``, ..."""
    dtype: str | None
    """Commonest dtype; null for what has none."""
    present: int = 0
    """Samples (batches) that have the field."""
    absent: Offenders = Offenders()
    """Samples that lack it although others have it."""
    nulls: Offenders = Offenders()
    """Samples in which it is None."""
    containers: tuple[Tally, ...] = ()
    dtypes: tuple[Tally, ...] = ()
    shapes: tuple[Tally, ...] = ()
    """Shapes as ``3x224x224``, commonest first, at most 30; the rest as ``(others)``."""
    shape_count: int = 0
    """How many different shapes there were."""
    modes: tuple[Tally, ...] = ()
    """Modes of Pillow images (``RGB``, ``L``, ``CMYK``)."""
    checked: int = 0
    min: float | None = None
    max: float | None = None
    """Over every finite element of the checked samples (batches)."""
    mean: float | None = None
    std: float | None = None
    """From a bounded random part of the elements."""
    quantiles: dict[str, float] | None = None
    """``p1 p50 p90 p99`` of the elements, from the same part."""
    histogram: Distribution | None = None
    """Distribution of element values (numbers), from the same part; no ids."""
    nan_count: int = 0
    inf_count: int = 0
    """Exact over the checked samples."""
    negative_inf_only: bool = False
    """Every Inf was -Inf and every finite value 0, as in an additive mask."""
    nonfinite: Offenders = Offenders()
    constant: Offenders = Offenders()
    """Samples in which all elements (16 or more) are equal."""
    constant_value: float | None = None
    """The value, where it is one and the same in all of them."""
    binary: bool = False
    """Only the values 0 and 1 were seen (bool included)."""
    integral: bool = False
    """Only whole numbers were seen, whatever the dtype."""
    lengths: Distribution | None = None
    """Of a sequence field: its length (text: characters; tensors: the first axis if 1-D)."""
    heights: Distribution | None = None
    """Of an image field (Pillow, or an array with 1, 3 or 4 channels): its height in pixels."""
    widths: Distribution | None = None
    """Of an image field: its width in pixels."""
    empty: Offenders = Offenders()
    """Samples in which it has no element (text: nothing but white space)."""
    special_only: Offenders = Offenders()
    """Of a token field: samples that hold nothing but special tokens, which are the declared pad,
    BOS and EOS ids and the ids that almost every sample begins or ends with. Disjoint from `empty`."""
    counts: tuple[Tally, ...] = ()
    """Commonest values of a scalar or short text field (labels), at most 50."""
    distinct: int | None = None
    """How many different values a scalar or text field had; null where that was not counted."""
    nbytes: int = 0
    """Mean bytes per sample (per batch)."""
    transfer: Literal["tensor", "array", "object"] = "object"
    """How it crosses from a worker: shared memory (tensor) or pickle."""
    reaches: str | None = None
    """For a sample field: the path of the batch field that it became, where that is known."""
    float64: bool = False
    """Holds double-precision floats."""
