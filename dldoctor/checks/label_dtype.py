"""DL209 label-dtype."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.labels import class_fields
from dldoctor.evidence.labels import ClassLabels
from dldoctor.finding import Finding, Level, Unjudged

TASKS = ("classification", "segmentation", "detection")
FLOATS = ("float16", "bfloat16", "float32", "float64")


@dataclass(frozen=True)
class LabelDtype(Check):
    """Class labels have a dtype that the loss does not take, or that cannot hold the ignored value.

    ## Why it hurts
    `cross_entropy` wants int64 and raises on other types. An unsigned byte turns -100 into 156, which is then
    a class like any other.

    ## What to do
    Give class labels as int64 (`labels.long()`).

    ## When it is wrong
    Labels of two classes as floats fit `binary_cross_entropy`, and a loop may convert them; without a declared
    `--task` it is a note.
    """

    rule: ClassVar[str] = "DL209"
    name: ClassVar[str] = "label-dtype"
    level: ClassVar[Level] = Level.WARNING
    by: ClassVar[tuple[str, ...]] = ("check-labels",)
    needs: ClassVar[tuple[str, ...]] = ("labels",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Compare the dtype with the task and the ignored value."""
        fields = class_fields(case)
        if not fields:
            yield not_applicable("no field holds class labels")
            return
        for field in fields:
            if why := self._unfit(case, field):
                spec, declared = case.evidence.loader, case.intent.task in TASKS
                both = "" if declared else "; right where the loop converts them"
                yield self.finding(
                    f"`{field.path}` holds class labels as {field.dtype}, {why}{both}",
                    advice=f"Return `{field.path}` as int64 (`.long()`).",
                    level=self.level if declared or "cannot hold" in why else Level.INFO,
                    where=spec.dataset_ref if spec else None,
                    field=field.path,
                    dtype=field.dtype,
                    expected="int64",
                )

    def _unfit(self, case: Case, field: ClassLabels) -> str:
        ignored = case.intent.ignore_index
        if field.dtype == "uint8" and ignored is not None and not 0 <= ignored <= 255:
            return f"which cannot hold the ignored value {ignored}"
        two = field.low >= 0 and field.high <= 1
        if field.dtype in FLOATS and not two and case.intent.task not in ("regression", "other"):
            return "and `cross_entropy` takes int64 (or a share for each class)"
        small = field.dtype in ("int32", "int16", "int8", "uint8")
        if small and field.kind == "class_label" and not two:
            return "and `cross_entropy` takes int64"
        return ""
