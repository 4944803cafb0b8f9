"""What names and calls in the source suggest about the purpose of a loader. Each is a guess."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from dldoctor.first_config.makers import SourceFile
from dldoctor.intent import Role, Task

_ROLE_WORDS: Final[dict[str, Role]] = {
    "train": "train", "training": "train",
    "val": "eval", "valid": "eval", "validation": "eval", "eval": "eval", "evaluation": "eval", "dev": "eval",
    "test": "eval", "testing": "eval",
    "generate": "generate", "generation": "generate", "predict": "generate", "prediction": "generate",
    "inference": "generate",
}  # fmt: skip
_TASK_NAMES: Final[dict[str, Task]] = {
    "SFTTrainer": "sft", "SFTConfig": "sft", "DataCollatorForCompletionOnlyLM": "sft",
    "DPOTrainer": "preference", "ORPOTrainer": "preference", "KTOTrainer": "preference", "CPOTrainer": "preference",
    "RewardTrainer": "preference",
    "Seq2SeqTrainer": "seq2seq", "AutoModelForSeq2SeqLM": "seq2seq",
    "DataCollatorForWholeWordMask": "mlm", "AutoModelForMaskedLM": "mlm",
    "AutoModelForSequenceClassification": "classification", "AutoModelForImageClassification": "classification",
    "ImageFolder": "classification", "CIFAR10": "classification", "CIFAR100": "classification",
    "CocoDetection": "detection", "AutoModelForObjectDetection": "detection", "VOCDetection": "detection",
    "AutoModelForSemanticSegmentation": "segmentation", "VOCSegmentation": "segmentation",
    "AutoModelForCTC": "asr", "AutoModelForSpeechSeq2Seq": "asr", "CTCLoss": "asr",
}  # fmt: skip
"""Names that are used for one task and hardly for another."""
_TOKENIZERS: Final = ("from_pretrained", "from_file")


@dataclass(frozen=True)
class Guess:
    """One value, and what in the source suggests it."""

    value: str
    why: str


def role_of(*names: str) -> Guess | None:
    """Return the role that the first telling name says; none where one name says two."""
    for name in names:
        roles = {_ROLE_WORDS[word] for word in _words(name) if word in _ROLE_WORDS}
        if len(roles) == 1:
            return Guess(roles.pop(), f"the name `{name}`")
    return None


def tasks_of(file: SourceFile) -> tuple[Guess, ...]:
    """Return each task that calls in a file suggest, once."""
    found: dict[str, Guess] = {}
    for node in ast.walk(file.tree):
        if isinstance(node, ast.Call):
            owner = node.func.value if isinstance(node.func, ast.Attribute) else None
            for name in (file.names.last(node.func), file.names.last(owner)):
                task = _masking(node) if name == "DataCollatorForLanguageModeling" else _TASK_NAMES.get(name)
                if task is not None:
                    found.setdefault(task, Guess(task, f"`{name}` in line {node.lineno}"))
    return tuple(found.values())


def tokenizer_of(file: SourceFile) -> Guess | None:
    """Return the only tokenizer at the top of a file."""
    found = [
        Guess(node.targets[0].id, f"`{ast.unparse(node.value.func)}` in line {node.lineno}")
        for node in file.tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Attribute)
        and node.value.func.attr in _TOKENIZERS
        and "Tokenizer" in file.names.last(node.value.func.value)
    ]
    return found[0] if len(found) == 1 else None


def agreed(guesses: Iterable[Guess]) -> Guess | None:
    """Return the guess if all are of one value."""
    by_value = {guess.value: guess for guess in guesses}
    return next(iter(by_value.values())) if len(by_value) == 1 else None


def _masking(call: ast.Call) -> Task | None:
    given = next((keyword.value for keyword in call.keywords if keyword.arg == "mlm"), None)
    if given is None:
        return "mlm"
    return ("mlm" if given.value else "pretrain") if isinstance(given, ast.Constant) else None


def _words(name: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]
