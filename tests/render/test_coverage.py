"""The ranks of a check-sharding report: table, sentences and picture."""

from __future__ import annotations

from dataclasses import replace

from dldoctor.evidence.coverage import (
    CoverageEvidence,
    DrawsEvidence,
    EpochCoverage,
    OrderEvidence,
    RankCoverage,
    RankEpoch,
    WorkerShare,
)
from dldoctor.render import FORMATS
from dldoctor.render.content import coverage as content
from dldoctor.render.terminal.coverage import shades
from dldoctor.report import Report, dumps, loads
from tests.render import reports


def of_rank(number: int, items: int, first: tuple[str, ...]) -> RankCoverage:
    workers = (WorkerShare(0, items - 4, 2, 3, 1, first[:2]), WorkerShare(1, 4, 1, 4, 0, ("19", "2")))
    epochs = tuple(
        RankEpoch(epoch, items, 3, items, "d", first, 3, 1 if epoch == 0 else 0, elapsed_ns=1_500_000,
                  workers=workers if epoch == 0 else ())
        for epoch in (0, 1)
    )  # fmt: skip
    return RankCoverage(number, items, 3, epochs=epochs, picture=((1.0, 0.0, 0.1), (0.5, 0.5, 0.5)))


COVERAGE = CoverageEvidence(
    items=24,
    seen_never=2,
    seen_once=21,
    seen_more=1,
    ranks=(
        of_rank(0, 11, ("10", "15", "11", "9", "19")),
        of_rank(1, 11, ("4", "<b>3</b>")),
        RankCoverage(2, 11, 3, "computed"),
        RankCoverage(3, 0, 0, "stuck", "did not move for 42 s"),
    ),
    world_size=4,
    ran=2,
    by="index",
    epochs=(
        EpochCoverage(0, 23, 22, 2, 21, 1, ("7", "8"), ("4",), dropped=2, padded=1),
        EpochCoverage(1, 24, 24, 0, 24, 0, complete=False),
    ),
    order=OrderEvidence(True, "the sampler shuffles", ("sampler",), same=False),
    draws=DrawsEvidence(24, 24, random=True),
    shards_by=("DistributedSampler",),
    notes=("of 4 ranks, 0, 1 ran for real",),
)


def report() -> Report:
    empty = reports.empty()
    return replace(empty, command="check-sharding", evidence=replace(empty.evidence, coverage=COVERAGE))


TABLE = """\
Ranks  4 ranks (2 of them run), 2 epochs; items told apart by index, without
reading data
  rank  epoch  worker  items  batches  dropped    time  first items
     0      0             11        3        1  1.5 ms  10, 15, 11, 9, ...
                    0      7        2        1          10, 15
                    1      4        1                   19, 2
     0      1             11        3           1.5 ms  10, 15, 11, 9, ...
     1      0             11        3        1  1.5 ms  4, <b>3</b>
                    0      7        2        1          4, <b>3</b>
                    1      4        1                   19, 2
     1      1             11        3           1.5 ms  4, <b>3</b>
     2                    11        3
    computed, not run
     3                     0        0
    stuck: did not move for 42 s
  epoch 0: 23 delivered, 21 once, 1 more often (2 left out by drop_last, 1
  repeated by the sampler)
  epoch 1: 24 delivered, 24 once, 0 more often; cut short
  order: another in each epoch (announced: sampler)
  takes notice of ranks by DistributedSampler
  random numbers: 24 of 24 reads of the same items are equal on ranks 0 and 1
  of 4 ranks, 0, 1 ran for real
  items from first to last, darker where the rank was given more of them:
  rank 0 epoch 0    |█ ░|
  rank 0 epoch 1    |▓▓▓|
  rank 1 epoch 0    |█ ░|
  rank 1 epoch 1    |▓▓▓|
"""


def test_the_terminal_shows_table_sentences_and_picture() -> None:
    """At 80 columns, to the letter."""
    assert TABLE in FORMATS["terminal"](report())


def test_the_page_holds_the_same_and_escapes_ids() -> None:
    """Each stretch that holds something is one rectangle."""
    page = FORMATS["html"](report())
    section = page.partition('<section id="coverage"')[2].partition("</section>")[0]
    assert section.count("<rect ") == 10
    assert section.count("<svg ") == 4
    assert "4, &lt;b&gt;3&lt;/b&gt;" in section
    for sentence in content.lines(COVERAGE):
        assert sentence in section


def test_the_json_gives_the_same_report_again() -> None:
    """What is saved can be drawn again."""
    assert FORMATS["terminal"](loads(dumps(report()))) == FORMATS["terminal"](report())


def test_shades_are_never_blank_where_there_is_something() -> None:
    """Also where only ASCII can be shown."""
    assert shades((0.0, 0.01, 0.3, 0.6, 0.8, 1.0), ascii_only=False) == " ░▒▓██"
    assert shades((0.0, 0.01, 0.3, 0.6, 0.8, 1.0), ascii_only=True) == " .:+##"


def test_items_that_cannot_be_told_apart_have_no_picture() -> None:
    """Nor totals, which would say something that nobody knows."""
    unknown = replace(COVERAGE, by="nothing")
    assert content.strips(unknown) == ()
    assert not any(line.startswith("epoch") for line in content.lines(unknown))
