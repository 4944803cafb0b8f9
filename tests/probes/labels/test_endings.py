"""The end token that nobody declares, and the padding of samples that come padded."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from torch.utils.data import default_collate

from dldoctor.evidence.labels import LabelsEvidence
from tests.probes.labels.rows import collected
from tests.zoo._chat import BOS, EOS, PAD, collate, packed, sample, words
from tests.zoo._packs import Packs
from tests.zoo._pairs import collate_pairs, pair

STOP = 400
"""A word in the middle of the vocabulary with which answers end."""


def batches(make: Any, size: int = 6) -> list[list[Any]]:
    """Four batches."""
    return [[make(size * batch + number) for number in range(size)] for batch in range(4)]


def end(found: LabelsEvidence) -> tuple[int | None, str | None]:
    """The end token and how it is known."""
    return found.vocabulary.eos, found.vocabulary.sources.get("eos")


def stopped(number: int) -> dict[str, Any]:
    """An answer that ends with a full stop and has no end token."""
    one = sample(number)
    return {name: [*row[:-1], STOP] for name, row in one.items()}


def test_an_end_token_lies_outside_the_words_and_a_full_stop_among_them() -> None:
    """Both end all rows, once each."""
    assert end(collected(batches(sample), collate)) == (EOS, "values")
    assert end(collected(batches(stopped), collate)) == (STOP, "guess")


def test_one_side_of_pairs_tells_the_end_token() -> None:
    """Half of all rows end with it, and those are one side."""
    found = collected(batches(partial(pair, rejected_ends=False)), collate_pairs)
    assert end(found) == (EOS, "values")


@pytest.mark.parametrize("ended", [True, False])
def test_the_pad_id_of_padded_samples_is_no_end_token(ended: bool) -> None:
    """No mask and no labels: captions of one width, filled with 0."""

    def caption(number: int) -> dict[str, Any]:
        ids = [BOS, *words(number, 5 + number % 5), *([950] if ended else [])]
        return {"input_ids": ids + [PAD] * (14 - len(ids))}

    def stack(samples: list[Any]) -> Any:
        import torch

        return {"input_ids": torch.tensor([one["input_ids"] for one in samples])}

    found = collected(batches(caption), stack)
    assert (found.vocabulary.pad, end(found)) == (PAD, (950, "values") if ended else (None, None))
    if ended:
        assert [row.real for row in found.rows] == [7 + number % 5 for number in range(24)]
        assert {row.eos_tail for row in found.rows} == {1}


@pytest.mark.parametrize("ignored", [False, True])
def test_packed_rows_that_come_padded_with_the_end_token(ignored: bool) -> None:
    """The numbers of documents tell padding from the last end token."""
    packs = Packs(pad=EOS, ignore_pad=ignored)
    found = collected(batches(packs.__getitem__), default_collate)
    lengths = [int((packs[number]["segment_ids"] > 0).sum()) for number in range(24)]
    assert [row.real for row in found.rows] == lengths
    assert [row.documents for row in found.rows] == [2 + number % 2 for number in range(24)]
    assert {row.hidden for row in found.rows} == {0}
    assert {(row.eos_last, row.eos_tail, row.eos_trained > 0) for row in found.rows} == {
        (True, 1, not ignored)
    }


def test_a_last_document_of_pad_ids_alone_is_padding() -> None:
    """No mask, and padding has a document number of its own."""

    def numbered(number: int) -> dict[str, Any]:
        one = dict(Packs(pad=EOS)[number])
        segments = one.pop("segment_ids") - 1
        segments[segments < 0] = 2 + number % 2
        del one["position_ids"]
        return {**one, "segment_ids": segments}

    found = collected(batches(numbered), default_collate)
    lengths = [int((Packs(pad=EOS)[number]["segment_ids"] > 0).sum()) for number in range(24)]
    assert found.groups[0].boundaries == "segment_ids"
    assert [row.real for row in found.rows] == lengths
    assert [row.documents for row in found.rows] == [2 + number % 2 for number in range(24)]


def test_padding_that_is_trained_is_no_end() -> None:
    """All rows end with the pad id among the targets; what always stands before it ends them."""

    def copied(samples: list[Any]) -> Any:
        batch = collate(samples)
        wide = {name: default_pad(batch[name]) for name in ("input_ids",)}
        return {**wide, "labels": wide["input_ids"].clone()}

    def default_pad(ids: Any) -> Any:
        import torch

        return torch.nn.functional.pad(ids, (0, 30 - ids.shape[1]), value=PAD)

    assert end(collected(batches(sample), copied, traced=False)) == (EOS, "values")


def test_one_id_may_begin_and_end_texts() -> None:
    """It is no start token that is trained at the wrong place."""

    def framed(number: int) -> dict[str, Any]:
        one = sample(number)
        return {"input_ids": [EOS, *one["input_ids"][1:]], "labels": one["labels"]}

    found = collected(batches(framed), collate)
    assert (found.vocabulary.bos, end(found)) == (EOS, (EOS, "values"))
    assert {row.bos_trained for row in found.rows} == {0}


def test_documents_of_packs_tell_the_end_token() -> None:
    """One row a batch, with six documents each."""
    found = collected(batches(sample), packed)
    assert {row.documents for row in found.rows} == {6}
    assert end(found) == (EOS, "values")
