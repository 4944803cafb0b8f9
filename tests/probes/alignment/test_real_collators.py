"""The collators of transformers are silent, and a fault put around them is found."""

from __future__ import annotations

import random
from typing import Any

import pytest
import torch

from tests.probes.alignment.tracing import trace

transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")

WORDS = "the old ships sail to quiet harbours at night while a cat runs over green hills".split()


def sentence(index: int) -> str:
    source = random.Random(index)
    return " ".join(source.choices(WORDS, k=8 + index % 9))


@pytest.fixture(scope="module", name="tok")
def tokenizer() -> Any:
    """A small tokenizer, trained here."""
    model = tokenizers.Tokenizer(tokenizers.models.WordLevel(unk_token="<unk>"))
    model.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    special = ["<pad>", "<unk>", "<s>", "</s>", "<mask>"]
    model.train_from_iterator([" ".join(WORDS)], tokenizers.trainers.WordLevelTrainer(special_tokens=special))
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=model, pad_token="<pad>", unk_token="<unk>", bos_token="<s>", eos_token="</s>",
        mask_token="<mask>",
    )  # fmt: skip


class Rows:
    """Tokenised sentences with what a collator needs beside them."""

    def __init__(self, tok: Any, kind: str) -> None:
        self.tok, self.kind = tok, kind

    def __getitem__(self, index: int) -> dict[str, Any]:
        ids = self.tok(sentence(index))["input_ids"]
        if self.kind == "plain":
            return {"input_ids": ids}
        if self.kind == "classes":
            return {"input_ids": ids, "labels": index % 3}
        if self.kind == "vectors":
            made = torch.Generator().manual_seed(index)
            return {"input_ids": ids, "labels": torch.rand(12, generator=made).tolist()}
        return {"input_ids": ids, "labels": self.tok(sentence(index + 500))["input_ids"]}


def collators(tok: Any) -> dict[str, tuple[Any, str]]:
    return {
        "padding": (transformers.DataCollatorWithPadding(tok), "classes"),
        "seq2seq": (transformers.DataCollatorForSeq2Seq(tok), "texts"),
        "causal": (transformers.DataCollatorForLanguageModeling(tok, mlm=False), "plain"),
        "masked": (transformers.DataCollatorForLanguageModeling(tok, mlm=True), "plain"),
        "flat": (transformers.DataCollatorWithFlattening(), "plain"),
        "vectors": (transformers.DataCollatorWithPadding(tok), "vectors"),
    }


@pytest.mark.parametrize("name", ["padding", "seq2seq", "causal", "masked", "flat", "vectors"])
def test_a_collator_of_transformers_is_silent(tok: Any, name: str) -> None:
    """Padding, masking and packing take no row apart."""
    collate, kind = collators(tok)[name]
    found = trace(Rows(tok, kind), collate)
    assert (found.wrong, found.by_order) == (0, {})


@pytest.mark.parametrize("name", ["padding", "seq2seq", "vectors"])
def test_labels_that_are_moved_around_one_are_found(tok: Any, name: str) -> None:
    """By one row."""
    collate, kind = collators(tok)[name]

    def moved(samples: Any) -> Any:
        batch = collate(samples)
        return {**batch, "labels": batch["labels"].roll(1, 0)}

    found = trace(Rows(tok, kind), moved)
    assert found.wrong >= 12
    assert found.misplaced[0].first == 0


def test_tokens_that_are_made_by_the_collate_are_traced(tok: Any) -> None:
    """Texts become ids, images become scaled ones: a sample alone tells both."""

    class Captioned:
        def __getitem__(self, index: int) -> dict[str, Any]:
            image = torch.randint(0, 256, (3, 16, 16), generator=torch.Generator().manual_seed(index))
            return {"text": sentence(index), "image": image.byte()}

    def collate(samples: Any, order: Any = None) -> Any:
        texts = [one["text"] for one in samples]
        texts = sorted(texts, key=len) if order else texts
        pixels = torch.stack([one["image"] for one in samples]).float().div(255).sub(0.5).div(0.25)
        return {**tok(texts, padding=True, return_tensors="pt"), "pixel_values": pixels}

    assert trace(Captioned(), collate).wrong == 0
    assert trace(Captioned(), lambda samples: collate(samples, order=True)).wrong > 0
