"""DL106 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.checks.base import Case, insufficient
from dldoctor.checks.none_sample import NoneSample
from dldoctor.evidence import Evidence
from dldoctor.evidence.batches import BatchesEvidence, MixedBatches
from dldoctor.evidence.fields import FieldEvidence, Offenders
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.outcome import Failure
from dldoctor.evidence.samples import SamplesEvidence
from dldoctor.finding import Finding, Level

SPEC = LoaderSpec(
    "map", "DataLoader", "Clips", "loader", dataset_length=44, batch_size=4, default_collate=True
)
OWN = replace(SPEC, default_collate=False, collate="drop_none")
ERROR = "TypeError: 'NoneType' object is not subscriptable"
RAISED = Failure("collate", 0, ERROR, "TypeError", 4, samples=(0, 1, 2, 3), culprit=3)


def samples(none: int = 4) -> SamplesEvidence:
    ids = tuple(3 + 11 * k for k in range(min(none, 20)))
    return SamplesEvidence(read=44, failed=0, distinct=44, none=Offenders(none, ids))


def batches(*mixed: MixedBatches, **values: object) -> BatchesEvidence:
    return BatchesEvidence(**{"delivered": 7, "planned": None, "full_epoch": True, "mixed": mixed, **values})


def judge(spec: LoaderSpec = SPEC, **evidence: object) -> list[Finding]:
    return list(NoneSample().judge(Case(Evidence(**{"loader": spec, "samples": samples(), **evidence}))))


def test_a_collate_that_raises_on_none_is_an_error() -> None:
    """With the samples and their share."""
    seen = batches(MixedBatches("none", "", collated=0, failed=4), failed=4)
    (found,) = judge(batches=seen, failures=(RAISED,))
    assert (found.level, found.samples) == (Level.ERROR, (3, 14, 25, 36))
    assert found.message == ("4 of 44 samples read (9.1%) are None; the collate raised on 4 batches with one")
    assert found.facts == {"count": 4, "read": 44, "share": 4 / 44, "dropped": 0}


def test_a_dataset_that_returns_nothing_at_all_lacks_a_return() -> None:
    """Every sample is None, so no batch is mixed."""
    failure = replace(RAISED, count=11, samples=(0, 1, 2, 3), culprit=None)
    every = samples(44)
    seen = batches(delivered=0, failed=11)
    (found,) = judge(samples=every, batches=seen, failures=(failure,))
    assert found.message == (
        "all 44 samples read are None; the collate raised on 11 batches with one, "
        "perhaps for a missing `return`"
    )


def test_a_collate_that_drops_whole_samples_is_info() -> None:
    """The share that is lost is said."""
    mix = MixedBatches("none", "", collated=4, failed=0)
    (found,) = judge(OWN, batches=batches(mix, dropped_samples=Offenders(4, (3,))))
    assert found.level == Level.INFO
    assert found.message == (
        "4 of 44 samples read (9.1%) are None; the collate leaves them out of their batches"
    )


def test_a_collate_that_keeps_them_is_info() -> None:
    """A list of samples, say."""
    (found,) = judge(OWN, batches=batches(MixedBatches("none", "", collated=4, failed=0)))
    assert (found.level, found.message.split("; ")[1]) == (Level.INFO, "the collate takes them")


def test_a_batch_made_for_the_test_decides_where_none_was_met() -> None:
    """Refused is an error, taken is info."""
    refused = MixedBatches("none", "", collated=0, failed=0, refused=True)
    (found,) = judge(OWN, batches=batches(refused))
    assert (found.level, found.message.split("; ")[1]) == (
        Level.ERROR,
        "the collate raised on a batch with one that was put together for the test",
    )
    (taken,) = judge(OWN, batches=batches(replace(refused, refused=False)))
    assert taken.level == Level.INFO


def test_what_torch_refuses_is_known_without_a_run() -> None:
    """And said to be not run; plain texts are the exception."""
    (found,) = judge(batches=batches())
    assert found.level == Level.ERROR
    assert found.message.endswith("torch's own collate, which was not run on one here, raises TypeError")
    text = FieldEvidence("value", "sample", "str", None)
    unknown = [insufficient("the collate function was never given a batch with a None sample")]
    assert judge(batches=batches(), fields=(text,)) == unknown
    assert judge(OWN, batches=batches()) == unknown


def test_without_batching_none_passes_through() -> None:
    """The loader hands out what the dataset returns."""
    (found,) = judge(replace(SPEC, batch_size=None), batches=batches())
    assert found.level == Level.INFO


def test_for_a_bare_dataset_the_collate_is_a_stand_in() -> None:
    """The user's own may drop them, so it is no more than a warning."""
    bare = replace(SPEC, given="dataset")
    (found,) = judge(bare, batches=batches(MixedBatches("none", "", 0, 4), failed=4), failures=(RAISED,))
    assert found.level == Level.WARNING
    assert found.message.endswith("(torch's own collate, as none was given with the bare dataset)")


def test_no_none_is_clean() -> None:
    """Nothing to say."""
    assert judge(samples=samples(0), batches=batches()) == []
