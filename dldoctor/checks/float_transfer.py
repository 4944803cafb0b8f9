"""DL711 float-transfer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient
from dldoctor.checks.causes.speed import gain, level, millis
from dldoctor.checks.phrases import size
from dldoctor.checks.wording import percent
from dldoctor.evidence.profile import ProfileEvidence
from dldoctor.finding import Finding, Level, Remark, Unjudged


@dataclass(frozen=True)
class FloatTransfer(Check):
    """A float field holds nothing that 8 bits would not hold, and is sent at four times the size.

    ## Why it hurts
    Pixels that were divided by 255, or normalised, have at most 256 different values a channel. As
    float32 they take four times the memory, in every batch that waits, through shared memory and to
    the device.

    ## What to do
    Leave the loader with uint8 and do `x.float().mul_(scale).add_(offset)` on the device, as the
    first step of the model; the finding states scale and offset.

    ## When it is wrong
    After colour jitter or interpolation in float the values are no such grid, and the rule is silent.
    How much time it saves is measured on a batch of this run, sent both ways in turns; where that is
    little it is a note, or nothing where neither that nor the copy to a device would save 5% of the time between
    two batches.
    """

    rule = "DL711"
    name = "float-transfer"
    level = Level.WARNING
    by = ("profile",)
    needs = ("loader", "profile")

    gain: float = 0.1
    """Share of the time between two batches that uint8 must take off, to be more than a note."""
    megabytes: float = 1.0
    """A smaller field is not told."""
    worth: float = 0.05
    """Share of the hand-over and of the time between two batches from which on a saving is told."""
    device_bytes_per_s: float = 10e9
    """Rate at which a batch is taken to be copied to the device."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged | Remark]:
        """Tell of the largest field that 8 bits would hold."""
        profile, spec = case.evidence.profile, case.evidence.loader
        assert profile is not None
        assert spec is not None
        payload = profile.payload
        if payload is None:
            yield insufficient("no batch was seen")
            return
        fields = [one for one in payload.floats if one.now_bytes >= self.megabytes * 1e6]
        if not fields:
            return
        field = max(fields, key=lambda one: one.now_bytes)
        trial = profile.trial("uint8")
        share = gain(profile, trial) if trial else 0.0
        handed = trial is not None and trial.sure and trial.saved_ns >= self.worth * trial.now_ns
        copied = self._copied(profile, sum(one.now_bytes - one.then_bytes for one in fields))
        if not (handed and share >= self.worth) and copied < self.worth:
            yield Remark(
                f"`{field.path or 'batch'}` would fit into uint8, but neither handing it over nor copying "
                f"{size(field.now_bytes)} to a device takes so long that it matters"
            )
            return
        worth = handed and share >= self.gain
        grid = (
            f"scale {field.scale:.6g} and offset {field.offset:.6g}"
            if field.channels == 1
            else f"a scale and an offset for each of {field.channels} channels"
        )
        time = (
            f"; handing a batch over takes {millis(trial.now_ns)}, as uint8 {millis(trial.then_ns)}"
            if trial and handed
            else f"; copying it to a device at {size(round(self.device_bytes_per_s))}/s would save {percent(copied)} of "
            "the time between two batches (computed)"
        )
        yield self.finding(
            f"`{field.path or 'batch'}` is {size(field.now_bytes)} of {field.dtype} a batch and fits into "
            f"{size(field.then_bytes)} of uint8 with an error of {field.error:.1g} ({grid}){time}",
            advice="Send uint8, and scale on the device as the first step of the model.",
            level=level(case, self.level) if worth else Level.INFO,
            where=spec.dataset_ref,
            field=field.path,
            now_bytes=field.now_bytes,
            then_bytes=field.then_bytes,
            error=field.error,
            scale=field.scale,
            offset=field.offset,
            gain=share,
            saves=percent(share if handed else copied),
        )

    def _copied(self, profile: ProfileEvidence, saved_bytes: int) -> float:
        """Return the share of the time between two batches that a smaller copy to a device takes off."""
        between = max(1, profile.gap_ns, profile.batch_ns // max(1, profile.num_workers))
        return min(1.0, saved_bytes / self.device_bytes_per_s * 1e9 / between)
