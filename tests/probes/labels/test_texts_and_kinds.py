"""Labels that are a text of their own, and labels of masked words."""

from __future__ import annotations

from typing import Any

import torch

from dldoctor.checks import CHECKS, Case
from dldoctor.evidence import Evidence
from dldoctor.evidence.labels import LabelsEvidence
from dldoctor.finding import Finding
from dldoctor.intent import Intent
from tests.probes.labels.rows import collected
from tests.probes.labels.test_guessed_fields import batches, found_in, stacked
from tests.zoo._chat import EOS, IGNORED, PAD, padded, words

Sample = dict[str, Any]


def rules(labels: LabelsEvidence, **intent: Any) -> set[str]:
    """Return the rules that say anything at all."""
    case = Case(Evidence(labels=labels), Intent(**intent))
    found = [one for check in CHECKS if check.needs == ("labels",) for one in check.judge(case)]
    return {one.rule for one in found if isinstance(one, Finding)}


def two_texts(number: int) -> Sample:
    """A source and an answer of one small vocabulary, each of a length of its own."""
    source, answer = words(number, 6 + number % 9), words(700 + number, 6 + 5 * number % 11)
    return {
        "input_ids": [9 + one % 40 for one in source] + [EOS],
        "labels": [9 + one % 40 for one in answer] + [EOS],
    }


def to_the_longest(samples: list[Sample]) -> Sample:
    """Pad both texts of a batch to the longest of either, as `pad_to_multiple_of` does now and then."""
    width = max(len(one[name]) for one in samples for name in ("input_ids", "labels"))
    ids = padded([one["input_ids"] for one in samples], PAD, width=width)
    labels = padded([one["labels"] for one in samples], IGNORED, width=width)
    return {"input_ids": ids, "attention_mask": (ids != PAD).long(), "labels": labels}


def test_an_answer_of_the_width_of_its_source_is_a_text_of_its_own() -> None:
    """The encoder has no labels, and the decoder has all of them."""
    labels = collected(batches(two_texts), to_the_longest, eos_id=EOS, pad_id=PAD)
    assert [(one.tokens, one.labels, one.decoder) for one in labels.groups] == [
        ("input_ids", None, False),
        ("labels", "labels", True),
    ]
    assert labels.groups[1].ignored == IGNORED
    assert found_in(labels) == set()


def test_widths_that_agree_in_one_batch_only_decide_nothing() -> None:
    """The first batch alone looks like classes of tokens."""

    def own_widths(samples: list[Sample]) -> Sample:
        return {
            "input_ids": padded([one["input_ids"] for one in samples], PAD),
            "labels": padded([one["labels"] for one in samples], IGNORED),
        }

    def of(number: int) -> Sample:
        one = two_texts(number)
        return (
            one
            if number >= 4
            else {**one, "labels": [*one["labels"], *one["input_ids"]][: len(one["input_ids"])]}
        )

    labels = collected(batches(of), own_widths, eos_id=EOS, pad_id=PAD)
    assert [one.decoder for one in labels.groups] == [False, True]
    assert found_in(labels) == set()


def test_classes_of_words_stay_classes_where_some_were_lost() -> None:
    """Few classes beside a large vocabulary are no second text."""

    def tags(number: int) -> Sample:
        ids = words(number, 12)
        return {"input_ids": ids, "labels": [one % 5 for one in ids][: 12 - number % 3]}

    def wide(samples: list[Sample]) -> Sample:
        return {
            "input_ids": padded([one["input_ids"] for one in samples], PAD, width=16),
            "labels": padded([one["labels"] for one in samples], IGNORED, width=16),
        }

    labels = collected(batches(tags), wide, eos_id=EOS, pad_id=PAD)
    assert [(one.label_kind, one.decoder) for one in labels.groups] == [("classes", False)]


def test_padded_targets_of_a_decoder_are_trained_padding() -> None:
    """Called `labels`, in lengths of their own, filled up with the pad id by the dataset."""

    def full(number: int) -> Sample:
        one = two_texts(number)
        return {
            "input_ids": one["input_ids"] + [PAD] * (24 - len(one["input_ids"])),
            "labels": one["labels"] + [PAD] * (20 - len(one["labels"])),
        }

    labels = collected(batches(full), stacked, eos_id=EOS, pad_id=PAD)
    assert found_in(labels) == {"DL301"}


def pair_of_sentences(number: int) -> Sample:
    """Two sentences, numbered 1 and 2, with all of their words as targets and none of their ends."""
    one, other = words(number, 4 + number % 5), words(90 + number, 5 + number % 3)
    rest = 20 - len(one) - len(other) - 3
    ids = [2, *one, EOS, *other, EOS]
    return {
        "input_ids": ids + [PAD] * rest,
        "segments": [1] * (len(one) + 2) + [2] * (len(other) + 1) + [0] * rest,
        "labels": [PAD, *one, PAD, *other, PAD] + [PAD] * rest,
    }


def test_sentences_of_masked_words_need_no_end_and_are_no_pack() -> None:
    """Declared as masked words, though nearly all words are targets."""
    intent = {"task": "mlm", "ignore_index": PAD, "eos_id": EOS, "pad_id": PAD}
    labels = collected(batches(pair_of_sentences), stacked, **intent)
    assert [(one.label_kind, one.boundaries) for one in labels.groups] == [("mlm", None)]
    assert {row.documents for row in labels.rows} == {1}
    assert rules(labels, **intent) == set()


def test_one_number_a_sample_and_real_numbers_are_no_labels_of_tokens() -> None:
    """A retrieval batch numbers its pairs; a regression has a target a sample."""

    def numbered(samples: list[Sample]) -> Sample:
        rows = to_the_longest(samples)
        return {
            "input_ids": rows["input_ids"],
            "labels": torch.arange(len(samples)),
            "targets": torch.rand(len(samples), 9),
        }

    labels = collected(batches(two_texts), numbered, eos_id=EOS, pad_id=PAD)
    assert [(one.tokens, one.labels) for one in labels.groups] == [("input_ids", None)]
