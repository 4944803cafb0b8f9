"""DL202 constant-sample."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.dropout import dropped, read_again, that_stay
from dldoctor.checks.causes.lineage import grouped, names, role
from dldoctor.checks.causes.other_item import are_stand_ins
from dldoctor.checks.phrases import samples_named
from dldoctor.checks.wording import counted, percent
from dldoctor.evidence.fields import FieldEvidence
from dldoctor.evidence.protocol import Emptied
from dldoctor.finding import Finding, Level, Unjudged

CONTENT = frozenset({"pixel_values", "audio", "video"})
"""Roles of recorded content, of which a sample of one value tells nothing."""
MASK_MODES = frozenset({"1", "L", "P", "I", "I;16"})
"""Modes in which Pillow also holds masks and label maps."""


@dataclass(frozen=True)
class ConstantSample(Check):
    """A sample's image, clip or vector is one single value.

    ## Why it hurts
    A black frame, a silent clip or an all-zero vector carries nothing to learn from, and its label
    or caption then teaches noise. Normalising it by its own spread divides by zero. Usually a
    file was cut off, a decoder gave up quietly, or a scaling step rounded everything to zero.

    ## What to do
    Open the samples that are named. Repair or leave out their files; if many samples are affected,
    look for the step that loses the values (integers divided and cast back, a mask multiplied in).

    ## When it is wrong
    Blank images or silence can be meant, as background class. What is dropped at random (a modality, a
    condition) is told by reading the samples again, and a note. Masks,
    labels, segment and position ids are not judged, nor fields of zeros and ones, nor vectors that
    are constant in more than half of the samples: then that is what the field is like.
    """

    rule = "DL202"
    name = "constant-sample"
    level = Level.WARNING
    needs = ("samples",)

    warn_share: float = 0.001
    """Share of the samples from which on it is a warning; below it is a note."""
    usual_share: float = 0.5
    """A field constant in more than this share of the samples is of that kind, unless it surely
    holds images, clips or video and all have the same value."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge the fields of the samples that hold content."""
        fields = [field for field in case.evidence.sample_fields if _holds_content(case, field)]
        if not fields:
            yield not_applicable("no field holds images, clips or vectors of floating-point numbers")
            return
        if not any(field.checked for field in fields):
            yield insufficient("the values of the samples were not looked at")
            return
        found = [field for field in fields if field.constant.count and self._unusual(case, field)]
        for group in grouped(found, lambda field: field.constant):
            yield self._report(case, group)

    def _unusual(self, case: Case, field: FieldEvidence) -> bool:
        share = field.constant.count / max(1, field.checked)
        if share <= self.usual_share:
            return True
        return role(case, field, 0.9) in CONTENT and field.constant_value is not None

    def _report(self, case: Case, group: Sequence[FieldEvidence]) -> Finding:
        first, spec = group[0], case.evidence.loader
        share = first.constant.count / max(1, first.checked)
        known = any(role(case, field, 0.4) in CONTENT or _flat_vector(field) for field in group)
        who = samples_named(first.constant.samples, first.constant.count)
        verb = "is" if len(group) == 1 else "are"
        made_up = are_stand_ins(case.evidence, first.constant.samples)
        cause = "; made up after an exception (sample-substituted)" if made_up else ""
        again = read_again(case.evidence, [field.path for field in group])
        if again is not None and dropped(again):
            return self._dropped(case, group, again)
        stay, words = that_stay(again, "so")
        shown = stay or first.constant.samples
        return self.finding(
            f"{names(group)} {verb} {_what(case, first)} in {first.constant.count} of "
            f"{counted(first.checked, 'sample')} ({percent(share)}): {who}{cause}{words}",
            advice=f"Open {samples_named(shown[:1])} and repair its file or leave it out.",
            level=self.level if known and share >= self.warn_share and not made_up else Level.INFO,
            where=spec.dataset_ref if spec else None,
            samples=shown,
            fields=[field.path for field in group],
            count=first.constant.count,
            checked=first.checked,
            share=share,
            value=first.constant_value,
        )

    def _dropped(self, case: Case, group: Sequence[FieldEvidence], again: Emptied) -> Finding:
        first, spec = group[0], case.evidence.loader
        verb = "is" if len(group) == 1 else "are"
        return self.finding(
            f"{names(group)} {verb} {_what(case, first)} in {first.constant.count} of "
            f"{counted(first.checked, 'sample')}, and none of the {len(again.read)} that were read again with other "
            "random numbers is so each time: dropped at random on purpose?",
            advice="Look where the field is dropped at random, and with which probability, if that is not meant.",
            level=Level.INFO,
            where=spec.dataset_ref if spec else None,
            samples=again.read,
            fields=[field.path for field in group],
            count=first.constant.count,
            checked=first.checked,
            read_again=len(again.read),
        )


def _holds_content(case: Case, field: FieldEvidence) -> bool:
    found = role(case, field, 0.4)
    sure = role(case, field, 0.9) in CONTENT
    if field.binary and not sure:
        return False
    if found is not None:
        return found in CONTENT
    if field.container == "PIL.Image":
        return any(tally.value not in MASK_MODES for tally in field.modes)
    floating = (field.dtype or "").startswith(("float", "bfloat"))
    # Whole numbers in floats are labels, counts or a mask; a mask of large negatives is additive.
    mask = field.max == 0.0 and field.min is not None and field.min <= -1e4
    return floating and not field.integral and not mask and not field.negative_inf_only


def _flat_vector(field: FieldEvidence) -> bool:
    return bool(field.shapes) and all("x" not in tally.value for tally in field.shapes)


def _what(case: Case, field: FieldEvidence) -> str:
    value = field.constant_value
    found = role(case, field, 0.4)
    if value == 0 and found == "audio":
        return "silent (all 0)"
    if value == 0 and (found in ("pixel_values", "video") or field.container == "PIL.Image"):
        return "black (all 0)"
    return "one single value" if value is None else f"one single value ({value:.4g})"
