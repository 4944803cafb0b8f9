"""DL204 channel-order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.causes.normalisation import Constants, constants_of
from dldoctor.checks.wording import counted
from dldoctor.evidence.probe_pictures import Channels, ProbedField
from dldoctor.finding import Finding, Level, SourceRef, Unjudged

Seen = tuple[ProbedField, Channels]
OTHER = {"rgb": "bgr", "bgr": "rgb"}


@dataclass(frozen=True)
class ChannelOrder(Check):
    """Red and blue are exchanged, in all pictures or in those of one way of reading.

    ## Why it hurts
    A model that learned red as its first channel sees blue faces and orange skies. Nothing raises, and the loss
    of a few points looks like any other. Where only some pictures are exchanged, it must learn both.

    ## What to do
    Convert once, next to the decoder: `cv2.cvtColor(image, cv2.COLOR_BGR2RGB)` after `cv2.imread`, and nothing
    after Pillow, imageio, skimage and torchvision, which give RGB. If the model takes BGR, declare it with
    `--channel-order bgr`.

    ## When it is wrong
    Items are read with a red, a green and a blue picture in place of what the decoders return; random grey and
    channel shuffles are known by their other seeds. It is an error where items differ, where mean and standard
    deviation of the other order are applied, where RGB was exchanged, and against what was declared. Pictures
    that leave OpenCV's order as it is, with no sign of RGB, are `info`: a model trained on them is right. A
    detector whose weights want BGR (as those from Caffe) gets it from Pillow by an exchange on purpose: declare it.
    """

    rule = "DL204"
    name = "channel-order"
    level = Level.ERROR
    needs = ("pictures",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge each field by the items of which the order is clear."""
        pictures = case.evidence.pictures
        assert pictures is not None
        if not pictures.fields:
            yield not_applicable(pictures.reason)
            return
        seen = [(one, one.channels) for one in pictures.fields if one.channels is not None]
        clear = [(one, channels) for one, channels in seen if channels.order in OTHER]
        if not clear:
            orders = {channels.order for _, channels in seen}
            if orders and orders <= {"grey"}:
                yield not_applicable("the pictures are grey")
            else:
                yield insufficient("no reading of a red picture came out in one channel under all seeds")
            return
        for path in dict.fromkeys(one.path for one, _ in clear):
            yield from self._field(case, [one for one in clear if one[0].path == path])

    def _field(self, case: Case, seen: Sequence[Seen]) -> Iterator[Finding]:
        declared = case.intent.channel_order
        path = seen[0][0].path
        orders = Counter(channels.order for _, channels in seen)
        if len(orders) > 1:
            yield self._mixed(path, seen, declared)
            return
        order = seen[0][1].order
        first, channels = seen[0]
        if declared is not None:
            if declared != order:
                what = f"`{path}` is {order.upper()}, and {declared.upper()} is declared"
                yield self._said(
                    seen, what, _undo(channels, first), where=channels.swapped_at or first.opened.where
                )
            return
        constants = constants_of([one for _, one in seen])
        if constants is not None and constants.order != order:
            yield self._constants(path, seen, constants)
        elif order == "bgr" and constants is None:
            yield self._reversed(path, seen)

    def _mixed(self, path: str, seen: Sequence[Seen], declared: str | None) -> Finding:
        parts = [
            f"{order.upper()} in {counted(len(own), 'item')} read by {own[0][0].opened.reader}{_files(own)}"
            for order in ("rgb", "bgr")
            if (own := [one for one in seen if one[1].order == order])
        ]
        wrong = [one for one in seen if one[1].order != (declared or "rgb")]
        return self._said(
            wrong,
            f"the channels of `{path}` come in two orders: {' and '.join(parts)}",
            "Convert all pictures to one order, each next to its decoder.",
            where=wrong[0][0].opened.where,
        )

    def _constants(self, path: str, seen: Sequence[Seen], constants: Constants) -> Finding:
        order = seen[0][1].order
        return self._said(
            seen,
            f"`{path}` is {order.upper()}, and is normalised with the {constants.name} mean in"
            f" {constants.order.upper()} order ({', '.join(f'{one:.3f}' for one in constants.mean)})",
            "Convert the picture with `cv2.COLOR_BGR2RGB` next to its decoder."
            if order == "bgr"
            else "Give mean and standard deviation in the order of the channels.",
            where=seen[0][0].opened.where,
            mean=constants.mean,
        )

    def _reversed(self, path: str, seen: Sequence[Seen]) -> Finding:
        first, channels = seen[0]
        reader = first.opened.reader
        where = channels.swapped_at or first.opened.where
        if first.opened.gives == "rgb":
            level = Level.WARNING if channels.whole_numbers else Level.ERROR
            return self._said(
                seen,
                f"{reader} gives RGB, and `{path}` is BGR: red and blue were exchanged, and needed not be",
                "Leave out the exchange, or declare `--channel-order bgr` if the model takes BGR.",
                level,
                where,
            )
        if first.opened.gives == "bgr" and channels.swaps > 1:
            return self._said(
                seen,
                f"{reader} gives BGR, and `{path}` is BGR again after {channels.swaps} exchanges of red and blue",
                "Convert once.",
                where=where,
            )
        return self._said(
            seen,
            f"`{path}` is BGR, as {reader} gives it: right for a model that is trained on it, and wrong for weights"
            " trained on RGB",
            "Declare `--channel-order bgr`, or convert with `cv2.COLOR_BGR2RGB`.",
            Level.INFO,
            where,
        )

    def _said(
        self,
        seen: Sequence[Seen],
        what: str,
        advice: str,
        level: Level = Level.ERROR,
        where: SourceRef | None = None,
        **facts: object,
    ) -> Finding:
        return self.finding(
            what,
            advice=advice,
            level=level,
            where=where,
            samples=dict.fromkeys(one.sample for one, _ in seen),
            field=seen[0][0].path,
            order=seen[0][1].order,
            readers=sorted({one.opened.reader for one, _ in seen}),
            **facts,
        )


def _files(own: Sequence[Seen]) -> str:
    suffixes = sorted({one.opened.suffix for one, _ in own if one.opened.suffix})
    return f" ({', '.join(suffixes)})" if suffixes else ""


def _undo(channels: Channels, field: ProbedField) -> str:
    if channels.order == field.opened.gives:
        return "Exchange red and blue next to the decoder."
    return "Leave out the exchange of red and blue."
