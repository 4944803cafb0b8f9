"""Fields that only look like those of a text, and words that look like the end of one."""

from __future__ import annotations

from typing import Any

import torch

from dldoctor.checks import CHECKS, Case
from dldoctor.evidence import Evidence
from dldoctor.evidence.labels import LabelsEvidence
from dldoctor.finding import Finding, Level
from dldoctor.intent import Intent
from tests.probes.labels.rows import collected
from tests.zoo._chat import EOS, IGNORED, PAD, packed, padded, sample, words

WIDTH = 24


def found_in(labels: LabelsEvidence) -> set[str]:
    """Return the rules above a note."""
    case = Case(Evidence(labels=labels), Intent())
    found = [one for check in CHECKS if check.needs == ("labels",) for one in check.judge(case)]
    return {one.rule for one in found if isinstance(one, Finding) and one.level is not Level.INFO}


def batches(make: Any, count: int = 24) -> list[list[Any]]:
    """Return batches of four."""
    return [[make(number) for number in range(at, at + 4)] for at in range(0, count, 4)]


def noted(number: int) -> dict[str, Any]:
    """A series with a note that is padded to as many tokens as the series has steps."""
    text = words(number, 9 + number % 5)
    rest = WIDTH - len(text)
    flags = torch.rand(WIDTH, generator=torch.Generator().manual_seed(number)) > 0.1
    return {
        "observed": flags,
        "input_ids": text + [PAD] * rest,
        "attention_mask": [1] * len(text) + [0] * rest,
    }


def stacked(samples: list[dict[str, Any]]) -> dict[str, Any]:
    """Stack each field."""
    return {name: torch.stack([torch.as_tensor(one[name]) for one in samples]) for name in samples[0]}


def test_flags_of_the_same_width_that_mark_padding_are_no_loss_mask() -> None:
    """Steps of a series that were observed."""
    labels = collected(batches(noted), stacked, eos_id=EOS, pad_id=PAD)
    assert labels.groups[0].loss_mask is None
    assert found_in(labels) == set()


def test_a_word_whose_id_is_hidden_is_no_separator_of_documents() -> None:
    """Some of them are followed by the first word of their row."""

    def text(number: int) -> dict[str, Any]:
        drawn = torch.randint(0, 12, (60,), generator=torch.Generator().manual_seed(number)).tolist()
        return {"input_ids": [3, *drawn[: 40 + number % 20], 0 if number % 4 == 1 else 5]}

    def collate(samples: list[dict[str, Any]]) -> dict[str, Any]:
        ids = padded([one["input_ids"] for one in samples], 60)
        return {
            "input_ids": ids,
            "attention_mask": (ids != 0).long(),
            "labels": ids.masked_fill(ids == 60, IGNORED),
        }

    labels = collected(batches(text), collate)
    assert found_in(labels) == {"DL308"}
    assert {row.documents for row in labels.rows} == {1}


def bounded(samples: list[Any], *, short: int = 0, filled: int = 0) -> dict[str, Any]:
    """Pack, and say where texts end; `short` tokens of each are not counted, `filled` pads follow."""
    batch = packed(samples, reset=True)
    lengths = [0, *(len(one["input_ids"]) - short for one in samples)]
    fill = {"input_ids": PAD, "labels": IGNORED, "position_ids": 0}
    made = {
        name: torch.cat([value, value.new_full((*value.shape[:-1], filled), fill.get(name, 0))], -1)
        for name, value in batch.items()
    }
    return {**made, "cu_seqlens": torch.tensor(lengths).cumsum(0)}


def test_cumulative_lengths_that_end_before_the_tokens_do() -> None:
    """The end token was added behind them; a pack that is filled up ends before its padding."""
    labels = collected(batches(sample), lambda samples: bounded(samples, short=1))
    assert [(one.stage, len(one.lengths)) for one in labels.apart] == [("bounds", 2)] * 6
    first = labels.apart[0].lengths
    assert first["input_ids"] - first["cu_seqlens"] == 4
    for how in ({}, {"filled": 5}):
        labels = collected(batches(sample), lambda samples, how=how: bounded(samples, **how))
        assert (labels.apart, how) == ((), how)
