"""DL716 oversized-decode."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient
from dldoctor.checks.causes.speed import level, millis, oversized
from dldoctor.checks.wording import figure, percent
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class OversizedDecode(Check):
    """Images are decoded far larger than they are used.

    ## Why it hurts
    A photograph of 12 megapixels that ends as 224 by 224 is decoded in full first: most of the time
    of a sample goes into pixels that the resize throws away.

    ## What to do
    Store the images at about the size that is used. Or decode smaller: `image.draft("RGB", size)`
    before anything else touches the image (Pillow, JPEG), `cv2.IMREAD_REDUCED_COLOR_4` (OpenCV).

    ## When it is wrong
    A crop of the full image needs the full decode; only what a resize throws away counts. Boxes and
    masks in pixels must be scaled with the image. The saving is measured on this dataset's own items,
    with and without draft mode in turns.
    """

    rule = "DL716"
    name = "oversized-decode"
    level = Level.WARNING
    by = ("profile",)
    needs = ("loader", "profile")

    times: float = 4.0
    """Pixels decoded for each pixel used, above which it is told."""
    saving: float = 0.2
    """Share of a sample's time that a smaller decode must save."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Compare what is decoded with what a resize leaves."""
        profile, spec = case.evidence.profile, case.evidence.loader
        assert profile is not None
        assert spec is not None
        if profile.decoded_pixels <= self.times:
            return
        trial = profile.trial("draft")
        if trial is None:
            yield insufficient("a smaller decode could not be tried on these images")
            return
        found = oversized(profile, self.times, self.saving)
        if found is None:
            return
        stage = profile.stage("decode")
        yield self.finding(
            f"images are decoded with {figure(profile.decoded_pixels)} times the pixels that are used; {_how(found.detail)} "
            f"a sample takes {millis(found.then_ns)} instead of {millis(found.now_ns)}, "
            f"{percent(found.saved_ns / max(1, found.now_ns))} less, measured on your files",
            advice=_step(found.detail),
            level=level(case, self.level),
            where=spec.dataset_ref,
            decoded_times=profile.decoded_pixels,
            now_ns=found.now_ns,
            draft_ns=found.then_ns,
            ratio=found.ratio,
            low=found.low,
            high=found.high,
            line=f"{stage.path}:{stage.line}" if stage else "",
        )


def _how(detail: str) -> str:
    return (
        f"decoded with `{detail}`" if detail.startswith("cv2.") else f"with Pillow's draft mode at {detail}"
    )


def _step(detail: str) -> str:
    if detail.startswith("cv2."):
        return f"Pass `{detail}` to `cv2.imread` or `cv2.imdecode`, or store smaller images."
    return f"Call `image.draft(None, ({detail.replace('x', ', ')}))` right after `Image.open`, or store smaller images."
