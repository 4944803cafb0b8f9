"""The real collators and a real trainer of trl: roles, documents, and the fault that its vision collator has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.probes.labels.rows import collected

transformers = pytest.importorskip("transformers")
pytest.importorskip("tokenizers")
pytest.importorskip("trl", reason="the collators and the trainer are those of trl")

from tests.probes.alignment.placeholders.processors import qwen  # noqa: E402 - needs transformers
from tests.probes.labels.small_texts import TEXTS, chats, findings, halves, tokenizer  # noqa: E402 - as above

TEMPLATE = (
    "{% for m in messages %}<|{{ m['role'] }}|>{% if m['role'] == 'assistant' %}"
    "{% generation %}{{ m['content'] }}</s>{% endgeneration %}{% else %}{{ m['content'] }}{% endif %}{% endfor %}"
)


def sft() -> Any:
    from trl.trainer import sft_trainer

    return sft_trainer


def test_prepared_answers_are_silent() -> None:
    """Labels with the prompt ignored, padded by the collator."""
    tok = tokenizer()
    collate = sft().DataCollatorForLanguageModeling(pad_token_id=tok.pad_token_id)
    labels = collected(halves(chats(tok)), collate, tokenizer=tok)
    assert findings(labels, completion_only=True) == {}
    assert [(one.labels, one.mask, one.label_kind) for one in labels.groups] == [
        ("labels", "attention_mask", "same")
    ]


def test_a_completion_mask_that_the_collator_does_not_read_is_lost() -> None:
    """Labels are made in the preparation of the dataset; the collator alone copies the ids."""
    tok = tokenizer()
    samples = [
        {"input_ids": one["input_ids"], "completion_mask": [int(label != -100) for label in one["labels"]]}
        for one in chats(tok)
    ]
    collate = sft().DataCollatorForLanguageModeling(pad_token_id=tok.pad_token_id)
    found = findings(collected(halves(samples), collate, tokenizer=tok))
    assert set(found) == {"DL311"}
    assert found["DL311"].message.endswith("the sample's `completion_mask` reaches no batch")


@pytest.mark.parametrize("multiple", [None, 64])
def test_rows_without_padding_are_packs(multiple: int | None) -> None:
    """Padding up to a multiple makes documents of one token in the lengths, which are none."""
    tok = tokenizer()
    collate = sft().DataCollatorForLanguageModeling(
        pad_token_id=tok.pad_token_id, padding_free=True, pad_to_multiple_of=multiple
    )
    labels = collected(halves(chats(tok)), collate, tokenizer=tok)
    assert [row.documents for row in labels.rows] == [8, 8]
    assert [row.restarts for row in labels.rows] == [8, 8]
    assert findings(labels, task="sft") == {}


def test_preferences_are_rows_of_both_sides() -> None:
    """Twice as many rows as samples, and a mask in place of labels."""
    from trl.trainer.dpo_trainer import DataCollatorForPreference

    tok = tokenizer()
    samples = []
    for number, one in enumerate(chats(tok)):
        cut = one["labels"].count(-100)
        answer = [*tok.encode(TEXTS[(number + 3) % 8]), tok.eos_token_id]
        prompt, chosen = one["input_ids"][:cut], one["input_ids"][cut:]
        samples.append({"prompt_ids": prompt, "chosen_ids": chosen, "rejected_ids": answer})
    collate = DataCollatorForPreference(pad_token_id=tok.pad_token_id)
    labels = collected(halves(samples), collate, tokenizer=tok)
    assert findings(labels, task="preference", completion_only=True) == {}
    assert [(one.tokens, one.mask, one.loss_mask) for one in labels.groups] == [
        ("input_ids", "attention_mask", "completion_mask")
    ]
    assert (len(labels.rows), {bool(row.eos_trained) for row in labels.rows}) == (32, {True})


def pictures(count: int = 8) -> list[dict[str, Any]]:
    """Prompts with an image that takes more positions than the limit has."""
    tag = qwen().tag
    return [
        {
            "images": [Image.new("RGB", (160, 160), (20 * number, 90, 30))],
            "prompt": f"{tag} please describe this picture",
            "completion": "a red ball and a few words</s>",
        }
        for number in range(count)
    ]


def test_a_small_limit_of_the_vision_collator_leaves_no_target() -> None:
    """The ids are cut behind the prompt's image, and the pixels stay: every row trains nothing."""
    processor = qwen().processor
    collate = sft().DataCollatorForVisionLanguageModeling(processor, completion_only_loss=True, max_length=16)
    labels = collected([pictures()], collate, tokenizer=processor.tokenizer, max_length=16)
    assert [row.trained for row in labels.rows] == [0] * 8
    assert min(row.placeholders for row in labels.rows) > 8
    from dataclasses import replace

    found = findings(replace(labels, limit=16, limit_from="declared"))
    assert set(found) == {"DL303"}
    assert (found["DL303"].facts["cause"], found["DL303"].facts["rows"]) == ("truncated", 8)


def test_the_vision_collator_without_a_limit_is_silent() -> None:
    """Prompts padded before and answers behind: answers are trained with their end."""
    processor = qwen().processor
    collate = sft().DataCollatorForVisionLanguageModeling(processor, completion_only_loss=True)
    labels = collected([pictures()], collate, tokenizer=processor.tokenizer)
    assert {bool(row.eos_trained) for row in labels.rows} == {True}
    assert findings(labels, completion_only=True) == {}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize(
    ("settings", "documents_by", "rule"),
    [
        ({"assistant_only_loss": True}, "none", None),
        ({"packing": True, "packing_strategy": "bfd"}, "segments", None),
        ({"packing": True, "packing_strategy": "wrapped"}, "eos", "DL322"),
    ],
)
def test_loaders_of_a_real_trainer(
    tmp_path: Path, settings: dict[str, Any], documents_by: str, rule: str | None
) -> None:
    """Assistant-only labels and packs by lengths are silent; wrapped packs let documents see one another."""
    import datasets

    tok = tokenizer()
    tok.chat_template = TEMPLATE
    turns = [
        {
            "messages": [
                {"role": "user", "content": TEXTS[number % 8]},
                {"role": "assistant", "content": " ".join(TEXTS[number % 5 : number % 5 + 1 + number % 3])},
            ]
        }
        for number in range(64)
    ]
    config = sft().SFTConfig(
        output_dir=str(tmp_path), report_to=[], use_cpu=True, bf16=False, per_device_train_batch_size=4, max_length=64,
        disable_tqdm=True, **settings,
    )  # fmt: skip
    model = transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            hidden_size=16,
            intermediate_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            vocab_size=len(tok),
        )
    )
    trainer = sft().SFTTrainer(
        model=model, args=config, train_dataset=datasets.Dataset.from_list(turns), processing_class=tok
    )
    batches = [[batch] for batch in trainer.get_train_dataloader()]
    labels = collected(batches, lambda given: dict(given[0]), tokenizer=tok, traced=False, task="sft")
    assert {one.documents_by for one in labels.groups} == {documents_by}
    assert set(findings(labels, task="sft")) == ({rule} if rule else set())
