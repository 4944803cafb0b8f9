"""DL514 on hand-made evidence."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.checks.base import Case
from dldoctor.checks.threads_at_fork import ThreadsAtFork
from dldoctor.evidence import Evidence
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.workers import HandlesEvidence
from dldoctor.finding import Level

SPEC = LoaderSpec("map", "DataLoader", "Rows", "loader", num_workers=2, start_method="fork")
RUNNING = HandlesEvidence(threads=("refresh",))


def judge(measured: HandlesEvidence, spec: LoaderSpec = SPEC) -> list[object]:
    return list(ThreadsAtFork().judge(Case(Evidence(loader=spec, handles=measured))))


def test_threads_are_named() -> None:
    """A risk: no lock was seen to be held."""
    (found,) = judge(RUNNING)
    assert found.level is Level.RISK
    assert found.message == (
        "thread `refresh` is running when 2 workers are forked; locks held there stay locked in the workers"
    )


def test_where_nothing_is_forked_it_is_info() -> None:
    """Spawned workers begin with one thread."""
    assert [one.level for one in judge(RUNNING, replace(SPEC, start_method="spawn"))] == [Level.INFO]


def test_a_used_tokenizer_pool_is_info() -> None:
    """The library notices the fork by itself."""
    assert [one.level for one in judge(HandlesEvidence(pools=("tokenizers",)))] == [Level.INFO]


def test_no_thread_is_clean() -> None:
    """Nothing to be cut off."""
    assert judge(HandlesEvidence()) == []
