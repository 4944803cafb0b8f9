"""Roles in batches of the collators of transformers, over real texts and a tokenizer trained here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from dldoctor.intent import Inferred
from dldoctor.roles import RoleObserver, infer, padding_of
from dldoctor.roles.observer import digest

transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")


@pytest.fixture(scope="module")
def paragraphs() -> list[str]:
    """Paragraphs of the descriptions that scikit-learn ships."""
    sklearn = pytest.importorskip("sklearn")
    files = sorted((Path(sklearn.__file__).parent / "datasets" / "descr").glob("*.rst"))
    texts = [part.strip() for file in files for part in file.read_text("utf-8").split("\n\n")]
    return [text for text in texts if len(text) > 60]


@pytest.fixture(scope="module")
def tokenizer(paragraphs: list[str]) -> Any:
    """A small byte-pair tokenizer with the special tokens that collators ask for."""
    model = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="<unk>"))
    model.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel()
    special = ["<pad>", "<unk>", "<s>", "</s>", "<mask>"]
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=2000, special_tokens=special, show_progress=False)
    model.train_from_iterator(paragraphs, trainer)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=model,
        pad_token="<pad>",
        unk_token="<unk>",
        bos_token="<s>",
        eos_token="</s>",
        mask_token="<mask>",
    )


def batches(tokenizer: Any, texts: list[str], collate: Any, *, prompt: int | None = None) -> list[Any]:
    rows = []
    for text in texts[:24]:
        row = dict(tokenizer(text, truncation=True, max_length=128))
        row.pop("token_type_ids", None)
        if prompt is not None:
            row["labels"] = [-100] * prompt + row["input_ids"][prompt:]
        rows.append(row)
    return [collate(rows[start : start + 8]) for start in range(0, 24, 8)]


def found(given: list[Any], *, named: bool) -> dict[str, tuple[str, bool]]:
    """Role of each field, and whether it is at least likely."""
    digests = [digest(batch) for batch in given]
    names = {path: path if named else f"k{place}" for place, path in enumerate(digests[0])}
    back = {name: path for path, name in names.items()}
    inferred: dict[str, Inferred] = infer(
        [{names[path]: leaf for path, leaf in seen.items()} for seen in digests]
    )
    return {back[name]: (one.role, one.confidence >= 0.7) for name, one in inferred.items()}


TRIPLE = {
    "input_ids": ("token_ids", True),
    "attention_mask": ("attention_mask", True),
    "labels": ("labels", True),
}


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize("masked_words", [False, True])
def test_language_modelling(
    tokenizer: Any, paragraphs: list[str], *, masked_words: bool, named: bool
) -> None:
    """Next-word and masked-word batches."""
    collate = transformers.DataCollatorForLanguageModeling(tokenizer, mlm=masked_words)
    assert found(batches(tokenizer, paragraphs, collate), named=named) == TRIPLE


@pytest.mark.parametrize("named", [True, False])
def test_answers_only(tokenizer: Any, paragraphs: list[str], *, named: bool) -> None:
    """Labels with the prompt ignored, padded apart from the inputs."""
    collate = transformers.DataCollatorForSeq2Seq(tokenizer)
    assert found(batches(tokenizer, paragraphs, collate, prompt=6), named=named) == TRIPLE


@pytest.mark.parametrize("named", [True, False])
def test_flattened_rows(tokenizer: Any, paragraphs: list[str], *, named: bool) -> None:
    """One long row with positions that start anew."""
    collate = transformers.DataCollatorWithFlattening(return_flash_attn_kwargs=True, return_seq_idx=True)
    read = found(batches(tokenizer, paragraphs, collate), named=named)
    assert {path: role for path, (role, _) in read.items() if not path.startswith("max_")} == {
        "input_ids": "token_ids",
        "labels": "labels",
        "position_ids": "position_ids",
        "seq_idx": "segment_ids",
        "cu_seq_lens_q": "document_lengths",
        "cu_seq_lens_k": "document_lengths",
    }


def test_texts_and_token_lists_of_samples(tokenizer: Any, paragraphs: list[str]) -> None:
    """Before any collate: ragged lists, texts and keys."""
    observer = RoleObserver()
    for index, text in enumerate(paragraphs[:24]):
        ids = tokenizer(text, truncation=True, max_length=128)["input_ids"]
        observer.sample(index, {"ids": ids, "source_text": text, "key": f"descr-{index:04}"})
    roles = observer.sample_roles()
    assert {path: one.role for path, one in roles.items()} == {
        "ids": "token_ids",
        "source_text": "text",
        "key": "sample_id",
    }


@pytest.mark.parametrize("side", ["right", "left"])
def test_real_lengths_are_found_without_mask_or_id(tokenizer: Any, paragraphs: list[str], side: str) -> None:
    """Values alone give what the mask says, on both sides."""
    tokenizer.padding_side = side
    try:
        batch = tokenizer(paragraphs[:8], padding=True, truncation=True, max_length=128, return_tensors="pt")
    finally:
        tokenizer.padding_side = "right"
    by_values, by_mask = (
        padding_of(batch["input_ids"]),
        padding_of(batch["input_ids"], batch["attention_mask"]),
    )
    assert (by_values.lengths, by_values.side, by_values.pad_id) == (
        by_mask.lengths,
        side,
        tokenizer.pad_token_id,
    )
