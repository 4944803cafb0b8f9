"""DL103 negative-index."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.failed_samples import readable_length
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class NegativeIndex(Check):
    """`dataset[-1]` is neither the last item nor an error.

    ## Why it hurts
    Who looks at `dataset[-1]` in a notebook expects the last item, as a list gives it. A dataset
    that computes a file offset, a window or a key from the index may return some other item for
    a negative one, without an error. A DataLoader never asks for one; code of your own that
    computes `index - 1` for a neighbour does.

    ## What to do
    Count from the end, or refuse:

        if index < 0:
            index += len(self)
        if not 0 <= index < len(self):
            raise IndexError(index)

    ## When it is wrong
    Where nobody uses negative indices. It is never more than `info`. It is not judged where an item
    read twice is not the same, since then the last item cannot be recognised.
    """

    rule = "DL103"
    name = "negative-index"
    level = Level.INFO
    needs = ("loader", "protocol")

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge by which item came back."""
        spec, protocol = case.evidence.loader, case.evidence.protocol
        assert spec is not None
        assert protocol is not None
        if spec.kind != "map":
            yield not_applicable("a stream has no index")
            return
        length, reading = protocol.length, protocol.at_minus_one
        if not length or reading is None:
            yield insufficient("`dataset[-1]` was not read")
            return
        if reading.outcome != "value" or reading.same_as == length - 1:
            return
        if readable_length(case.evidence) is not None:
            yield insufficient("the last item cannot be read, so there is nothing to compare with")
            return
        if reading.same_as is None and not all(item.equal for item in protocol.rereads):
            yield insufficient("items are not the same when read again, so the last one cannot be recognised")
            return
        got = "an item that is not the last one"
        if reading.same_as is not None:
            got = f"the item of index {reading.same_as} instead of the last one ({length - 1})"
        yield self.finding(
            f"`dataset[-1]` returns {got}",
            advice="Add `len(self)` to a negative index, or raise IndexError for it.",
            where=reading.where or spec.dataset_ref,
            samples=() if reading.same_as is None else (reading.same_as,),
            length=length,
            same_as=reading.same_as,
            preview=reading.preview,
        )
