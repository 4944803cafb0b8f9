"""DL114 sample-substituted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.failed_samples import FailedSamples, failed_for
from dldoctor.checks.causes.other_item import other_item, substitutions
from dldoctor.checks.wording import counted, percent
from dldoctor.evidence import Evidence
from dldoctor.evidence.samples import Substitution
from dldoctor.finding import SAMPLES_KEPT, Finding, Level, Unjudged


@dataclass(frozen=True)
class SampleSubstituted(Check):
    """A sample that fails is quietly replaced by another one, or by a blank one.

    ## Why it hurts
    The broken samples are never seen, their stand-ins are seen too often, and nobody learns that
    data is missing: a folder that is not mounted looks like a training that overfits. With
    `self[index + 1]` the last item runs over the end; with `self[0]` a broken item 0 calls itself
    until Python gives up with RecursionError. A black image or an empty text in its place keeps the
    label of the sample that failed, and teaches it as noise.

    ## What to do
    Leave broken samples out when the list of samples is made. If they must be replaced while
    training, count them, log them and give up after a few:

        for attempt in range(3):
            try:
                return self.load(index)
            except OSError as error:
                last = error
        raise RuntimeError(f"sample {index} could not be read") from last

    ## When it is wrong
    Where replacement is meant, within bounds and reported: declare `--substitutes`, and this is
    `info`. Datasets that combine items on purpose (mixup, mosaic) do not return another item as it
    is and are not reported; nor are retries that succeed on the same item. A blank stand-in is told
    by a field of one single value (or without text) after an exception that other samples do not
    meet; one that holds noise, or that comes without an exception, is not.
    """

    rule = "DL114"
    name = "sample-substituted"
    level = Level.ERROR
    needs = ("loader",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge from samples that were seen to come back as another one."""
        evidence = case.evidence
        assert evidence.loader is not None
        if evidence.loader.kind != "map":
            yield not_applicable("a stream has no index whose item could be replaced")
            return
        if evidence.protocol is None and evidence.samples is None:
            yield insufficient(evidence.missing.get("protocol", "no sample could be read"))
            return
        ran_out = failed_for(evidence, "replacement-ran-out")
        records = substitutions(evidence) if other_item(evidence) == "substituted" else ()
        if records or ran_out:
            yield self._replaced(case, records, ran_out)

    def _replaced(
        self, case: Case, records: tuple[Substitution, ...], ran_out: tuple[FailedSamples, ...]
    ) -> Finding:
        evidence = case.evidence
        assert evidence.loader is not None
        count, read = _extent(evidence, records)
        stand_ins = Counter(record.got for record in records if record.got is not None)
        repeated, times = stand_ins.most_common(1)[0] if stand_ins else (None, 0)
        meant = case.intent.substitutes and not ran_out
        parts = [_replaced_part(records, count, read), _repeated_part(repeated, times), _end_part(ran_out)]
        place = [record.where for record in records] + [found.where for found in ran_out]
        asked = [record.asked for record in records]
        asked += [sample for found in ran_out for sample in found.samples]
        errors = dict.fromkeys(record.error for record in records if record.error)
        return self.finding(
            "; ".join(part for part in parts if part) + (" (declared)" if meant else ""),
            advice=(
                "Nothing to repair while the share stays small."
                if meant
                else "Leave these samples out when the list of samples is made, and let the error through."
            ),
            level=Level.INFO if meant else self.level,
            where=next((where for where in place if where), evidence.loader.dataset_ref),
            samples=dict.fromkeys(asked),
            count=count,
            read=read,
            share=count / read if read else 0.0,
            pairs=[[str(record.asked), _text(record.got)] for record in records[:SAMPLES_KEPT]],
            most_repeated=_text(repeated) if times > 1 else None,
            most_repeated_times=times,
            never_produced=[str(record.asked) for record in records[:SAMPLES_KEPT]],
            never_produced_count=len(records),
            swallowed=list(errors)[:3],
            ran_out=[found.error for found in ran_out],
        )


def _extent(evidence: Evidence, records: tuple[Substitution, ...]) -> tuple[int, int]:
    """Return how many of how many reads were replaced, from the larger of the two observations."""
    samples, protocol = evidence.samples, evidence.protocol
    if samples is not None and samples.substituted_count and samples.read:
        return samples.substituted_count, samples.read
    if protocol is not None and protocol.substituted:
        return len(protocol.substituted), max(protocol.read, len(protocol.substituted))
    return len(records), samples.read if samples else 0


def _replaced_part(records: tuple[Substitution, ...], count: int, read: int) -> str:
    if not records:
        return ""
    first = records[0]
    if first.blank is not None:
        got = f"a stand-in with a blank `{first.blank}`"
    else:
        got = "another item" if first.got is None else f"the item of index {first.got}"
    why = f" after {first.error}" if first.error else ""
    verb = "was" if count == 1 else "were"
    return (
        f"{count} of {read} samples read ({percent(count / read if read else 1.0)}) {verb} replaced: "
        f"index {first.asked} returns {got}{why}"
    )


def _repeated_part(repeated: object, times: int) -> str:
    return f"index {repeated} stands in for {counted(times, 'other')}" if times > 1 else ""


def _end_part(ran_out: tuple[FailedSamples, ...]) -> str:
    if not ran_out:
        return ""
    found = ran_out[0]
    which = f"index {found.samples[0]}" if found.samples else "one index"
    return f"the replacement for {which} fails in turn with {found.error}"


def _text(value: object) -> str | None:
    return None if value is None else str(value)
