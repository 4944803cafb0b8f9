"""DL217 on hand-made counts."""

from __future__ import annotations

from dldoctor.checks.base import Case
from dldoctor.checks.modality_imbalance import ModalityImbalance
from dldoctor.evidence import Evidence
from dldoctor.evidence.distribution import Tally
from dldoctor.evidence.protocol import Emptied, ProtocolEvidence
from dldoctor.evidence.samples import SamplesEvidence
from dldoctor.finding import Finding


def judged(**counts: int) -> list[str]:
    tallies = tuple(Tally(name.replace("_", "+"), count, (count,)) for name, count in counts.items())
    total = sum(counts.values())
    found = ModalityImbalance().judge(
        Case(Evidence(samples=SamplesEvidence(total, 0, total, modalities=tallies)))
    )
    return [one.message if isinstance(one, Finding) else one.status for one in found]


def test_what_dominates_is_told_with_what_is_rare() -> None:
    """The commoner of the rare ones first."""
    assert judged(text=900, image_text=80, audio_text=20) == [
        "900 of 1000 samples (90%) hold text; image+text 8%, audio+text 2%"
    ]


def test_even_mixtures_one_combination_and_few_samples() -> None:
    """Clean, not a question, and too few."""
    assert judged(text=70, image_text=30) == []
    assert judged(image_text=100) == ["not-applicable"]
    assert judged(text=20, image_text=1) == ["insufficient-evidence"]


def test_what_is_dropped_at_random_is_not_rare() -> None:
    """Samples that lack their text are read again, and hold it then."""
    tallies = (Tally("image+text", 90, (1,)), Tally("image", 10, (2, 7, 9)))
    seen = SamplesEvidence(100, 0, 100, modalities=tallies)

    def told(filled: tuple[int, ...]) -> list[object]:
        protocol = ProtocolEvidence(100, emptied=(Emptied("caption", (2, 7), filled),))
        return list(ModalityImbalance().judge(Case(Evidence(samples=seen, protocol=protocol))))

    assert told((2, 7)) == []
    assert len(told((2,))) == 1
