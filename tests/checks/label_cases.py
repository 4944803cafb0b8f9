"""Rows of token batches made by hand, and what a check says of them."""

from __future__ import annotations

from typing import Any

from dldoctor.checks.base import Case, Check
from dldoctor.evidence import Evidence
from dldoctor.evidence.label_rows import LabelRow, LabelTable
from dldoctor.evidence.labels import LabelGroup, LabelsEvidence, Vocabulary
from dldoctor.evidence.outcome import OutcomeEvidence
from dldoctor.finding import Finding
from dldoctor.intent import Intent

GROUP = LabelGroup("input_ids", labels="labels", mask="attention_mask", label_kind="same", mask_kind="flags")
WORDS = Vocabulary(pad=0, eos=1, bos=2, sources={"pad": "tokenizer", "eos": "tokenizer", "bos": "tokenizer"})
GOOD = LabelRow(
    width=20, real=18, right=2, known="sample", trained=8, first=10, last=17, spans=1, eos=1, eos_trained=1,
    eos_last=True, plain=15, compared=8, same=8, bos_lead=1, eos_tail=1, source=18, was_trained=8,
)  # fmt: skip
"""A row with a masked prompt and a trained answer that ends."""


def rows(count: int, **facts: Any) -> list[LabelRow]:
    """Return so many rows of one batch that differ from the good one in some facts."""
    made = {**{name: getattr(GOOD, name) for name in LabelRow.__dataclass_fields__}, **facts}
    return [LabelRow(**{**made, "row": number, "sample": number}) for number in range(count)]


def numbered(*parts: list[LabelRow]) -> list[LabelRow]:
    """Return the rows of all parts as batches of eight."""
    found = [one for part in parts for one in part]
    return [
        LabelRow(**{**{n: getattr(one, n) for n in LabelRow.__dataclass_fields__}, "batch": at // 8, "row": at % 8, "sample": at})
        for at, one in enumerate(found)
    ]  # fmt: skip


def judged(
    check: Check, table: list[LabelRow], *, group: LabelGroup = GROUP, words: Vocabulary = WORDS, printed: str = "",
    intent: dict[str, Any] | None = None, **evidence: Any,
) -> list[Any]:  # fmt: skip
    """Return what a check yields."""
    labels = LabelsEvidence(
        groups=(group,), table=LabelTable.of(table), batches=1 + max((one.batch for one in table), default=0),
        samples=len(table), vocabulary=words, **evidence,
    )  # fmt: skip
    case = Case(Evidence(labels=labels, outcome=OutcomeEvidence(printed=printed)), Intent(**(intent or {})))
    return list(check.judge(case))


def levels(*args: Any, **kwargs: Any) -> list[str]:
    """Return the levels of the findings, and the status of what was not judged."""
    return [one.level.value if isinstance(one, Finding) else one.status for one in judged(*args, **kwargs)]
