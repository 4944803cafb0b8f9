"""DL315 foreign-ignore-index."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.labels import labels_of
from dldoctor.checks.wording import counted
from dldoctor.finding import Finding, Level, Unjudged

USUAL = -100
"""What torch's losses ignore unless told otherwise."""


@dataclass(frozen=True)
class ForeignIgnoreIndex(Check):
    """Labels hold a negative value that the loss does not ignore.

    ## Why it hurts
    torch raises "target is out of bounds" on the CPU and asserts on the GPU; other losses take it for a class.

    ## What to do
    Mask labels with the one value that the loss ignores: -100, unless `ignore_index` says otherwise.

    ## When it is wrong
    A loss with another ignored value: declare it with `--ignore-index`.
    """

    rule: ClassVar[str] = "DL315"
    name: ClassVar[str] = "foreign-ignore-index"
    level: ClassVar[Level] = Level.ERROR
    by: ClassVar[tuple[str, ...]] = ("check-labels",)
    needs: ClassVar[tuple[str, ...]] = ("labels",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Look at the negative values of the labels."""
        labels = labels_of(case)
        groups = [group for group in labels.groups if group.labels]
        if not groups:
            yield not_applicable("the batches have no labels of text")
            return
        declared = case.intent.ignore_index
        counts = {int(value): count for value, count in labels.foreign.items()}
        ignored = USUAL if declared is None else declared
        foreign = {value: count for value, count in counts.items() if value != ignored}
        if not foreign:
            return
        undecided = declared is None and len(foreign) == 1 and USUAL not in counts
        total, spec = sum(foreign.values()), case.evidence.loader
        values = ", ".join(f"{value} ({count} times)" for value, count in foreign.items())
        value = next(iter(foreign))
        end = (
            f"; right for a loss with `ignore_index={value}`, an error for torch's default of {USUAL}"
            if undecided
            else f"; the loss ignores {ignored}"
        )
        certain = all(group.certain for group in groups)
        yield self.finding(
            f"labels hold {counted(total, 'negative value')} other than {ignored}: {values}{end}",
            advice=f"Declare `--ignore-index {value}`, if that is what the loss ignores." if undecided
            else f"Mask labels with {ignored} everywhere.",
            level=Level.INFO if undecided or not certain else self.level,
            where=spec.dataset_ref if spec else None,
            fields=[group.labels for group in groups],
            values={str(one): count for one, count in counts.items()},
            ignored=ignored,
        )  # fmt: skip
