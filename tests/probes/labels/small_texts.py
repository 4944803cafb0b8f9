"""Short texts and talks with a tokenizer that is trained here, and what is found in their batches."""

from __future__ import annotations

from typing import Any

import tokenizers
import transformers

from dldoctor.checks import CHECKS, Case
from dldoctor.evidence import Evidence
from dldoctor.evidence.labels import LabelsEvidence
from dldoctor.finding import Finding, Level
from dldoctor.intent import Intent

TEXTS = [
    "The old ships sail to quiet harbours at night.",
    "A cat runs over green hills while the dog sleeps.",
    "Far away a bell rings, and nobody answers it.",
    "Two rivers meet below the town with the white bridge.",
    "Rain falls on the roof of the house by the lake.",
    "She reads the letter twice and puts it away.",
    "Every morning the baker opens his small shop at six.",
    "The train to the coast leaves from platform nine.",
]
SPECIAL = ["<pad>", "<unk>", "<s>", "</s>", "<mask>", "<image>", "<|user|>", "<|assistant|>"]


def tokenizer(pad: str = "<pad>") -> Any:
    """Return a small tokenizer, trained here."""
    model = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="<unk>"))
    model.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel()
    model.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=600, special_tokens=SPECIAL, show_progress=False)
    model.train_from_iterator(TEXTS, trainer)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=model,
        pad_token=pad,
        unk_token="<unk>",
        bos_token="<s>",
        eos_token="</s>",
        mask_token="<mask>",
    )


def rows(tok: Any, count: int = 16) -> list[dict[str, list[int]]]:
    """Return texts of different lengths with their end token."""
    texts = [" ".join(TEXTS[: 1 + number % 3]) for number in range(count)]
    return [{"input_ids": [tok.bos_token_id, *tok.encode(text), tok.eos_token_id]} for text in texts]


def chats(tok: Any, count: int = 16) -> list[dict[str, list[int]]]:
    """Return a question and an answer, with the question ignored."""
    found = []
    for number in range(count):
        user, assistant = tok.convert_tokens_to_ids("<|user|>"), tok.convert_tokens_to_ids("<|assistant|>")
        prompt = [tok.bos_token_id, user, *tok.encode(TEXTS[number % 8]), assistant]
        answer = [*tok.encode(" ".join(TEXTS[: 1 + number % 3])), tok.eos_token_id]
        found.append(
            {
                "input_ids": prompt + answer,
                "attention_mask": [1] * (len(prompt) + len(answer)),
                "labels": [-100] * len(prompt) + answer,
            }
        )
    return found


def findings(labels: LabelsEvidence, **intent: Any) -> dict[str, Finding]:
    """Return what is found above `info`, by rule."""
    case = Case(Evidence(labels=labels), Intent(**intent))
    told = [one for check in CHECKS if check.by == ("check-labels",) for one in check.judge(case)]
    return {one.rule: one for one in told if isinstance(one, Finding) and one.level is not Level.INFO}


def halves(samples: list[Any]) -> list[list[Any]]:
    return [samples[start : start + 8] for start in range(0, len(samples), 8)]
