"""One field, summed up over samples or batches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

from dldoctor.evidence.fields import FieldEvidence
from dldoctor.finding import SampleId
from dldoctor.probes.collect.special_tokens import SpecialTokens
from dldoctor.probes.glance import leaf_bytes, leaf_transfer
from dldoctor.probes.look import Look
from dldoctor.probes.preview import shape_text
from dldoctor.probes.sketches import DistributionSketch, OffenderSketch, TallySketch

_SEQUENCES = ("str", "list", "tuple", "bytes")
_CHANNELS = (1, 3, 4)
_BUFFER = 512
"""Numbers that are summed up together: far cheaper than one by one."""


class FieldCollector:
    """Sums up one path of the samples (or of the batches)."""

    def __init__(
        self, path: str, stage: Literal["sample", "batch"], declared_ids: frozenset[int] = frozenset()
    ) -> None:
        """Start with nothing seen; `declared_ids` are the user's pad, BOS and EOS."""
        self.path = path
        self.stage = stage
        self.present = 0
        self.nulls = OffenderSketch()
        self.containers, self.dtypes, self.shapes = TallySketch(), TallySketch(), TallySketch()
        self.modes, self.values = TallySketch(), TallySketch()
        self.lengths = DistributionSketch(keep=5)
        self.heights, self.widths = DistributionSketch(keep=5), DistributionSketch(keep=5)
        self.elements = DistributionSketch()
        self._numbers: list[float] = []
        self.nonfinite, self.constant, self.empty = OffenderSketch(), OffenderSketch(), OffenderSketch()
        self.tokens = SpecialTokens(declared_ids)
        self.checked = 0
        self.nan = self.inf = self.inf_looks = self.negative_looks = 0
        self.low: float | None = None
        self.high: float | None = None
        self.integral = True
        self.constant_values: set[float] = set()
        self.bytes = 0
        self.transfer: Literal["tensor", "array", "object"] = "object"

    def see(
        self,
        samples: Sequence[SampleId],
        described: tuple[str, str | None, str | None],
        shape: tuple[int, ...] | None,
        count: int = 1,
        nbytes: int | None = None,
    ) -> None:
        """Count occurrences that look alike; `described` is ``(container, dtype, mode)``.

        `samples` are the first few of `count`; `nbytes` is what each of them holds.
        """
        container, dtype, mode = described
        self.present += count
        self.containers.add_many(container, count, samples)
        if container == "None":
            self.nulls.add_many(count, samples)
            return
        if dtype is not None or container in ("int", "float", "bool"):
            self.dtypes.add_many(dtype or container, count, samples)
        if mode is not None:
            self.modes.add_many(mode, count, samples)
        self.bytes += count * (leaf_bytes(container, dtype, mode, shape) if nbytes is None else nbytes)
        self.transfer = leaf_transfer(container)
        if shape is not None:
            self._see_shape(samples, container, shape, count)

    def _see_shape(
        self, samples: Sequence[SampleId], container: str, shape: tuple[int, ...], count: int
    ) -> None:
        if container != "str":
            self.shapes.add_many(shape_text(shape), count, samples)
        if container in _SEQUENCES or len(shape) == 1:
            self.lengths.add_many(float(shape[0]), count, samples)
        size = _image_size(container, shape)
        if size is not None:
            self.heights.add_many(float(size[0]), count, samples)
            self.widths.add_many(float(size[1]), count, samples)
        if 0 in shape:
            self.empty.add_many(count, samples)

    def see_value(self, sample: SampleId, container: str, value: Any) -> None:
        """Count the value of a scalar or short text."""
        if isinstance(value, str):
            if value != "" and not value.strip():
                self.empty.add(sample)
            self.values.add(value, sample)
            return
        number = float(value)
        self.values.add(value, sample)
        self.checked += 1
        if not math.isfinite(number):
            self.nan += math.isnan(number)
            self.inf += math.isinf(number)
            self.inf_looks += math.isinf(number)
            self.nonfinite.add(sample)
            return
        self.low = number if self.low is None or number < self.low else self.low
        self.high = number if self.high is None or number > self.high else self.high
        self.integral = self.integral and (container != "float" or number.is_integer())
        self._numbers.append(number)
        if len(self._numbers) >= _BUFFER:
            self._flush()

    def _flush(self) -> None:
        self.elements.add_all(self._numbers)
        self._numbers = []

    def look(self, sample: SampleId, seen: Look) -> None:
        """Sum up the values of one occurrence."""
        self.checked += 1
        self.merge_look(seen)
        if seen.nan or seen.inf:
            self.nonfinite.add(sample)
        if seen.constant:
            self.add_constant(sample, seen.low)
        if seen.last is not None:
            self.tokens.add(sample, seen)

    def extend(self, low: float, high: float) -> None:
        """Count an occurrence of which only the ends are known; both are finite."""
        self.checked += 1
        self.low = low if self.low is None or low < self.low else self.low
        self.high = high if self.high is None or high > self.high else self.high

    def merge_look(self, seen: Look) -> None:
        """Sum up values that no single sample stands for."""
        self.nan += seen.nan
        self.inf += seen.inf
        self.inf_looks += seen.inf > 0
        self.negative_looks += seen.negative_only
        if seen.low is not None and seen.high is not None:
            self.low = seen.low if self.low is None else min(self.low, seen.low)
            self.high = seen.high if self.high is None else max(self.high, seen.high)
        self.integral = self.integral and seen.integral
        self._numbers += seen.some[::3]  # the rest serves the digest only
        if len(self._numbers) >= _BUFFER:
            self._flush()

    def add_constant(self, sample: SampleId, value: float | None) -> None:
        """Count a sample in which all elements are equal."""
        self.constant.add(sample)
        if value is not None and len(self.constant_values) < 2:
            self.constant_values.add(value)

    def evidence(self, absent: OffenderSketch, reaches: str | None) -> FieldEvidence:
        """Return what was seen so far."""
        self._flush()
        containers = [tally for tally in self.containers.evidence() if tally.value != "None"]
        dtypes = self.dtypes.evidence()
        spread = self.elements.evidence()
        binary = self.integral and self.low is not None and self.low >= 0 and (self.high or 0) <= 1
        one_value = len(self.constant_values) == 1
        return FieldEvidence(
            path=self.path,
            stage=self.stage,
            container=containers[0].value if containers else "None",
            dtype=dtypes[0].value if dtypes else None,
            present=self.present,
            absent=absent.evidence(),
            nulls=self.nulls.evidence(),
            containers=self.containers.evidence(),
            dtypes=dtypes,
            shapes=self.shapes.evidence(30),
            shape_count=len(self.shapes),
            modes=self.modes.evidence(),
            checked=self.checked,
            min=self.low,
            max=self.high,
            mean=spread.mean if spread else None,
            std=spread.std if spread else None,
            quantiles=(
                {"p1": spread.p1, "p50": spread.p50, "p90": spread.p90, "p99": spread.p99} if spread else None
            ),
            histogram=spread,
            nan_count=self.nan,
            inf_count=self.inf,
            negative_inf_only=self.inf > 0 and self.inf_looks == self.negative_looks,
            nonfinite=self.nonfinite.evidence(),
            constant=self.constant.evidence(),
            constant_value=next(iter(self.constant_values)) if one_value else None,
            binary=bool(binary),
            integral=self.integral and self.low is not None,
            lengths=self.lengths.evidence(),
            heights=self.heights.evidence(),
            widths=self.widths.evidence(),
            empty=self.empty.evidence(),
            special_only=self.tokens.evidence(),
            counts=self.values.evidence(50),
            distinct=self.values.distinct if self.values.values() else None,
            nbytes=self.bytes // max(1, self.present),
            transfer=self.transfer,
            reaches=reaches,
            float64="float64" in {tally.value for tally in dtypes},
        )


def _image_size(container: str, shape: tuple[int, ...] | None) -> tuple[int, int] | None:
    """Return height and width of what looks like one image; None for anything else."""
    if shape is None:
        return None
    if container == "PIL.Image":
        return shape[0], shape[1]
    if len(shape) != 3 or min(shape) < 1:
        return None
    if shape[0] in _CHANNELS and min(shape[1:]) > _CHANNELS[-1]:
        return shape[1], shape[2]
    return (shape[0], shape[1]) if shape[2] in _CHANNELS and min(shape[:2]) > _CHANNELS[-1] else None
