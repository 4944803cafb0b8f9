"""DL208 label-out-of-range."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.labels import class_fields
from dldoctor.checks.wording import counted, percent
from dldoctor.evidence.labels import ClassLabels
from dldoctor.finding import Finding, Level, Unjudged

USUAL = -100
VOID = 255
"""What segmentation masks usually hold where no class is known."""


@dataclass(frozen=True)
class LabelOutOfRange(Check):
    """Class labels below 0, or at least the number of classes.

    ## Why it hurts
    The loss indexes out of bounds: an exception on the CPU, an assert without a place on a GPU. Labels that
    count from 1 fit until the last class is met.

    ## What to do
    Count classes from 0, and tell the loss which value means "no class" (`ignore_index`).

    ## When it is wrong
    A void label: declare it with `--ignore-index`. The number of classes is declared with `--num-classes`;
    without it only negative labels can be judged. A field that only its values make one of classes is told
    as `info` where it holds exactly 1 .. the number of classes; say which it is with `--field class_label=PATH`.
    """

    rule: ClassVar[str] = "DL208"
    name: ClassVar[str] = "label-out-of-range"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("check-labels",)
    needs: ClassVar[tuple[str, ...]] = ("labels",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Compare the labels with the number of classes."""
        fields = class_fields(case, guessed=True)
        if not fields:
            yield not_applicable("no field holds class labels")
            return
        for field in fields:
            yield from self._field(case, field) if field.certain else self._guess(case, field)

    def _field(self, case: Case, field: ClassLabels) -> Iterator[Finding]:
        intent = case.intent
        ignored = USUAL if intent.ignore_index is None else intent.ignore_index
        top = intent.num_classes
        bad = [(v, n) for v, n in field.values if v != ignored and (v < 0 or (top is not None and v >= top))]
        if not bad:
            return
        undecided = intent.ignore_index is None and len(bad) == 1 and bad[0][0] in (-1, VOID)
        held = {value for value, _ in field.values}
        shifted = top is not None and 0 not in held and max(held - {ignored}, default=0) == top
        total, spec = sum(count for _, count in bad), case.evidence.loader
        values = ", ".join(f"{value} ({count})" for value, count in bad[:5])
        samples = [one for value, _ in bad for one in field.samples_of.get(str(value), ())]
        end = "; they count from 1" if shifted else ""
        if undecided:
            end = f"; right for a loss with `ignore_index={bad[0][0]}`, out of bounds for any other"
        yield self.finding(
            f"`{field.path}` holds {counted(total, 'label')} ({percent(total / field.elements)}) outside 0 .. "
            f"{top - 1 if top is not None else 'the classes'}: {values}{end}",
            advice="Subtract 1 from the labels."
            if shifted
            else f"Declare `--ignore-index {bad[0][0]}`, if the loss leaves it out."
            if undecided
            else "Map the labels to 0 .. classes - 1, or declare what the loss ignores with `--ignore-index`.",
            level=Level.INFO if undecided else self.level,
            where=spec.dataset_ref if spec else None,
            samples=dict.fromkeys(samples),
            field=field.path,
            histogram={str(value): count for value, count in field.values[:20]},
            classes=top,
            ignored=ignored,
        )

    def _guess(self, case: Case, field: ClassLabels) -> Iterator[Finding]:
        """Tell a field that may hold something else where it fits the classes but for counting from 1."""
        top, spec = case.intent.num_classes, case.evidence.loader
        held = dict(field.values)
        if top is None or top < 2 or set(held) != set(range(1, top + 1)):
            return
        yield self.finding(
            f"`{field.path}` holds the whole numbers 1 .. {top}: if these are the {top} classes, they count from 1, and "
            f"{counted(held[top], 'label')} of {field.elements} ({percent(held[top] / field.elements)}) "
            f"{'is' if held[top] == 1 else 'are'} out of range; right if it holds something else",
            advice=f"Subtract 1 from the labels, or name the field that holds them: `--field class_label={field.path}`.",
            level=Level.INFO,
            where=spec.dataset_ref if spec else None,
            samples=field.samples_of.get(str(top), ()),
            field=field.path,
            histogram={str(value): count for value, count in field.values[:20]},
            classes=top,
        )
