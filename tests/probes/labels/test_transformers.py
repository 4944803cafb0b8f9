"""The real collators of transformers: what their batches do to labels, with the cause."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from tests.probes.labels.rows import collected

transformers = pytest.importorskip("transformers")
pytest.importorskip("tokenizers")

from tests.probes.labels.small_texts import chats, findings, halves, rows, tokenizer  # noqa: E402 - needs both


def test_padding_with_the_end_token_leaves_no_end_that_is_trained() -> None:
    """transformers#23530: the collator ignores every label that is the pad id."""
    tok = tokenizer(pad="</s>")
    collate = transformers.DataCollatorForLanguageModeling(tok, mlm=False)
    found = findings(collected(halves(rows(tok)), collate, tokenizer=tok))
    assert set(found) == {"DL302"}
    assert found["DL302"].facts["cause"] == "masked"
    assert found["DL302"].facts["trained_ends"] == 0
    assert found["DL302"].facts["rows"] == 16


def test_a_pad_token_of_its_own_is_silent() -> None:
    """The same with a pad token: 16 of 16 rows train their end."""
    tok = tokenizer()
    labels = collected(
        halves(rows(tok)), transformers.DataCollatorForLanguageModeling(tok, mlm=False), tokenizer=tok
    )
    assert findings(labels) == {}
    assert sum(row.eos_trained for row in labels.rows) == 16


def test_labels_from_lengths_are_silent_with_the_end_token_as_padding() -> None:
    """`DataCollatorForSeq2Seq` pads the labels of the samples."""
    tok = tokenizer(pad="</s>")
    labels = collected(halves(chats(tok)), transformers.DataCollatorForSeq2Seq(tok), tokenizer=tok)
    assert findings(labels, completion_only=True) == {}
    assert {row.known for row in labels.rows} == {"sample"}
    assert labels.turns["user"][1] == 0


def test_labels_that_the_collator_makes_anew_are_found() -> None:
    """transformers#26357: the language-modelling collator forgets the labels of the samples."""
    tok = tokenizer()
    collate = transformers.DataCollatorForLanguageModeling(tok, mlm=False)

    def without_labels(samples: list[Any]) -> Any:
        return collate([{name: one[name] for name in ("input_ids", "attention_mask")} for one in samples])

    found = findings(collected(halves(chats(tok)), without_labels, tokenizer=tok))
    assert set(found) == {"DL311"}
    assert found["DL311"].facts["targets_before"] < found["DL311"].facts["targets_after"]


@pytest.mark.parametrize("seed", [0, 17, 109, 115])
def test_masked_words_are_no_misplaced_labels(seed: int) -> None:
    """Labels of masked words differ from the ids on purpose.

    With some seeds a start token replaces the second word, or few masked words of a batch stand for [MASK].
    """
    torch.manual_seed(seed)
    tok = tokenizer()
    collate = transformers.DataCollatorForLanguageModeling(tok, mlm=True, mlm_probability=0.15)
    labels = collected(halves(rows(tok, 32)), collate, tokenizer=tok)
    assert [group.label_kind for group in labels.groups] == ["mlm"]
    assert findings(labels) == {}


def test_a_flattened_pack_is_told_apart_by_positions() -> None:
    """`DataCollatorWithFlattening`: positions begin anew, first labels are ignored, no mask."""
    tok = tokenizer()
    labels = collected(halves(rows(tok)), transformers.DataCollatorWithFlattening(), tokenizer=tok)
    assert [row.documents for row in labels.rows] == [8, 8]
    assert [row.restarts for row in labels.rows] == [8, 8]
    assert [row.bound_trained for row in labels.rows] == [0, 0]
    assert findings(labels, task="sft") == {}


def test_lengths_for_flash_attention_bound_documents() -> None:
    """Cumulative lengths are found beside the positions."""
    tok = tokenizer()
    collate = transformers.DataCollatorWithFlattening(return_flash_attn_kwargs=True, return_seq_idx=True)
    labels = collected(halves(rows(tok)), collate, tokenizer=tok)
    assert [row.documents for row in labels.rows] == [8, 8]
    assert labels.groups[0].documents_by in ("segments", "bounds")
    assert findings(labels, task="sft") == {}


def test_a_translation_batch_is_two_texts() -> None:
    """Input and labels of different lengths are an encoder-decoder batch."""
    tok = tokenizer()
    pairs = [
        {"input_ids": one["input_ids"], "labels": rows(tok, 17)[number + 1]["input_ids"][1:]}
        for number, one in enumerate(rows(tok))
    ]
    labels = collected(halves(pairs), transformers.DataCollatorForSeq2Seq(tok), tokenizer=tok)
    assert findings(labels, task="seq2seq") == {}
    assert any(group.decoder for group in labels.groups)


def test_a_changed_return_type_masks_every_label() -> None:
    """NanoVLM with transformers 5: the length of what the template returns is 2, and every row is ignored."""
    tok = tokenizer()

    def masked(one: dict[str, list[int]]) -> dict[str, list[int]]:
        answer = 2  # len() of a BatchEncoding, taken for the number of its tokens
        ids = one["input_ids"]
        fits = len(ids) - answer == sum(label == -100 for label in one["labels"])
        return {**one, "labels": one["labels"] if fits else [-100] * len(ids)}

    samples = [masked(one) for one in chats(tok)]
    found = findings(collected(halves(samples), transformers.DataCollatorForSeq2Seq(tok), tokenizer=tok))
    assert set(found) == {"DL303"}
    assert found["DL303"].facts["cause"] == "masked-before"
    assert found["DL303"].facts["rows"] == 16


def test_a_small_limit_that_cuts_image_and_answer_is_truncation() -> None:
    """Trl's vision collator with a small max_length: no target is left, and the images stay whole."""
    tok = tokenizer()
    image = tok.convert_tokens_to_ids("<image>")
    collate = transformers.DataCollatorForSeq2Seq(tok)

    def cut(samples: list[dict[str, list[int]]]) -> Any:
        pictured = [
            {
                "input_ids": (one["input_ids"][:2] + [image] * 40 + one["input_ids"][2:])[:32],
                "attention_mask": [1] * 32,
                "labels": ([-100] * 40 + one["labels"])[:32],
            }
            for one in samples
        ]
        return collate(pictured)

    labels = collected(halves(chats(tok)), cut, tokenizer=tok)
    found = findings(replace(labels, limit=32, limit_from="declared"))
    assert found["DL303"].facts["cause"] == "truncated"
    assert {row.placeholders for row in labels.rows} == {30}
