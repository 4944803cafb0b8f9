"""DL213 empty-text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, not_applicable
from dldoctor.checks.causes.dropout import dropped, read_again, that_stay
from dldoctor.checks.causes.lineage import grouped, names, role
from dldoctor.checks.causes.other_item import are_stand_ins
from dldoctor.checks.phrases import samples_named
from dldoctor.checks.wording import counted, percent
from dldoctor.evidence.fields import FieldEvidence, Offenders
from dldoctor.evidence.protocol import Emptied
from dldoctor.finding import SAMPLES_KEPT, Finding, Level, Unjudged


@dataclass(frozen=True)
class EmptyText(Check):
    """A text has no token, or only special tokens.

    ## Why it hurts
    An empty caption or answer pairs an image or a prompt with nothing. A row of padding alone
    makes the softmax over its attention scores NaN in some models, and a text of BOS and EOS alone
    teaches the model to stop at once.

    ## What to do
    Leave these samples out where the list of samples is made, or find out why their text is
    missing: a failed download, a filter that removed everything, a column read under another name.

    ## When it is wrong
    Empty text can be meant: captions dropped at random for guidance, unanswerable questions. Items of a
    map-style dataset are read again with other random numbers: those that then hold text are noted only. A
    field that is often empty beside another text is taken for optional (a system prompt, notes)
    and only noted.
    """

    rule = "DL213"
    name = "empty-text"
    level = Level.WARNING
    needs = ("samples",)

    optional_share: float = 0.25
    """Beside another text, a field empty in more than this share of the samples is optional."""
    usual_share: float = 0.5
    """A text field of unknown role, empty in more than this share of the samples, is optional."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge texts and tokens of the samples; rows of the batches where those say nothing."""
        fields = [field for field in case.evidence.sample_fields if _holds_text(case, field)]
        batches = case.evidence.batches
        padding = batches.padding if batches else None
        if not fields and padding is None:
            yield not_applicable("no field holds text or token ids")
            return
        found = [field for field in fields if _empty(field).count]
        for group in grouped(found, _empty):
            again = read_again(case.evidence, [field.path for field in group])
            if again is not None and dropped(again):
                yield self._dropped(case, group, again)
            else:
                yield self._report(case, group, fields, again)
        if not found and padding is not None and padding.lengths.min == 0:
            yield self._of_rows(case)

    def _dropped(self, case: Case, group: Sequence[FieldEvidence], again: Emptied) -> Finding:
        first, spec = group[0], case.evidence.loader
        empty = _empty(first)
        verb = "is" if len(group) == 1 else "are"
        return self.finding(
            f"{names(group)} {verb} empty in {empty.count} of {counted(first.present, 'sample')} "
            f"({percent(empty.count / max(1, first.present))}), and all {len(again.read)} of them that were read again "
            "with other random numbers hold text: dropped at random on purpose, as for classifier-free guidance?",
            advice="Look where texts are dropped at random, and with which probability, if that is not meant.",
            level=Level.INFO,
            where=spec.dataset_ref if spec else None,
            samples=again.read,
            fields=[field.path for field in group],
            count=empty.count,
            seen=first.present,
            share=empty.count / max(1, first.present),
            read_again=len(again.read),
        )

    def _report(
        self,
        case: Case,
        group: Sequence[FieldEvidence],
        fields: Sequence[FieldEvidence],
        again: Emptied | None,
    ) -> Finding:
        first, spec = group[0], case.evidence.loader
        empty = _empty(first)
        share = empty.count / max(1, first.present)
        others = any(field not in group for field in fields)
        known = any(role(case, field) in ("text", "token_ids") for field in group)
        optional = share > self.optional_share if others else share > self.usual_share and not known
        what = "empty" if first.empty.count else "nothing but special tokens"
        if first.empty.count and first.special_only.count:
            what = "empty or nothing but special tokens"
        verb = "is" if len(group) == 1 else "are"
        made_up = are_stand_ins(case.evidence, empty.samples)
        end = "; taken for an optional field" if optional else ""
        end = "; made up after an exception (sample-substituted)" if made_up else end
        stay, words = that_stay(again, "empty")
        return self.finding(
            f"{names(group)} {verb} {what} in {empty.count} of {counted(first.present, 'sample')} "
            f"({percent(share)}): {samples_named(empty.samples, empty.count)}{end}{words}",
            advice="Leave samples without text out of the dataset, or find out why theirs is missing.",
            level=Level.INFO if optional or made_up else self.level,
            where=spec.dataset_ref if spec else None,
            samples=stay or empty.samples,
            fields=[field.path for field in group],
            count=empty.count,
            no_token=first.empty.count,
            special_tokens_only=first.special_only.count,
            seen=first.present,
            share=share,
        )

    def _of_rows(self, case: Case) -> Finding:
        batches, spec = case.evidence.batches, case.evidence.loader
        assert batches is not None
        assert batches.padding is not None
        padding = batches.padding
        rows = tuple(one.id for one in padding.lengths.smallest if one.value == 0)
        least = "at least " if len(rows) == len(padding.lengths.smallest) else ""
        number = max(1, len(rows))
        return self.finding(
            f"`{padding.path}` has {least}{counted(number, 'row')} without a single token among {padding.rows}"
            + (f": {samples_named(rows)}" if rows else ""),
            advice="Leave samples without text out of the dataset, or find out why theirs is missing.",
            where=spec.collate_ref if spec else None,
            samples=rows,
            fields=[padding.path],
            count=number,
            seen=padding.rows,
            share=number / max(1, padding.rows),
        )


def _holds_text(case: Case, field: FieldEvidence) -> bool:
    found = role(case, field)
    if found == "token_ids":
        return True
    return field.container == "str" and found in (None, "text")


def _empty(field: FieldEvidence) -> Offenders:
    samples = tuple(dict.fromkeys((*field.empty.samples, *field.special_only.samples)))
    return Offenders(field.empty.count + field.special_only.count, samples[:SAMPLES_KEPT])
