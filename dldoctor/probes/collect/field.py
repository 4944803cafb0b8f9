"""One field, summed up over samples or batches."""

from __future__ import annotations

import math
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
_SCALARS = ("int", "float", "bool", "str", "scalar")


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
        sample: SampleId,
        described: tuple[str, str | None, str | None],
        shape: tuple[int, ...] | None,
        value: Any,
        nbytes: int | None = None,
    ) -> None:
        """Count one occurrence; `described` is ``(container, dtype, mode)``."""
        container, dtype, mode = described
        self.present += 1
        if container == "None":
            self.nulls.add(sample)
            self.containers.add("None", sample)
            return
        self.containers.add(container, sample)
        if dtype is not None or container in ("int", "float", "bool"):
            self.dtypes.add(dtype or container, sample)
        if mode is not None:
            self.modes.add(mode, sample)
        if shape is not None and container != "str":
            self.shapes.add(shape_text(shape), sample)
        self.bytes += leaf_bytes(container, dtype, mode, shape) if nbytes is None else nbytes
        self.transfer = leaf_transfer(container)  # type: ignore[assignment]
        if shape is not None and (container in _SEQUENCES or len(shape) == 1):
            self.lengths.add(float(shape[0]), sample)
        size = _image_size(container, shape)
        if size is not None:
            self.heights.add(float(size[0]), sample)
            self.widths.add(float(size[1]), sample)
        if shape is not None and 0 in shape:
            self.empty.add(sample)
        if container in _SCALARS or value is not None:
            self._see_value(sample, container, value)

    def _see_value(self, sample: SampleId, container: str, value: Any) -> None:
        if value is None:
            return
        if isinstance(value, str):
            if value.strip() == "" and value != "":
                self.empty.add(sample)
            self.values.add(value, sample)
            return
        number = float(value)
        self.values.add(str(value), sample)
        finite = math.isfinite(number)
        self.look(
            sample,
            Look(
                low=number if finite else None,
                high=number if finite else None,
                nan=int(math.isnan(number)),
                inf=int(math.isinf(number)),
                negative_only=False,
                constant=False,
                integral=container != "float" or number.is_integer(),
                some=(number,) if finite else (),
                last=None,
                digest=0,
            ),
        )

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
        for number in seen.some[::3]:  # the rest serves the digest only
            self.elements.add(number)

    def add_constant(self, sample: SampleId, value: float | None) -> None:
        """Count a sample in which all elements are equal."""
        self.constant.add(sample)
        if value is not None and len(self.constant_values) < 2:
            self.constant_values.add(value)

    def evidence(self, absent: OffenderSketch, reaches: str | None) -> FieldEvidence:
        """Return what was seen so far."""
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
