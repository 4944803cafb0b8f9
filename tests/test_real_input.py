"""Dry runs on real photographs, real texts and the collators of transformers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from dldoctor.diagnose import diagnose_object
from dldoctor.finding import Level
from dldoctor.intent import Intent, Limits, TargetOptions
from dldoctor.report import Report
from dldoctor.request import Request

pytestmark = pytest.mark.slow
np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")
skimage_data = pytest.importorskip("skimage.data")
sklearn_datasets = pytest.importorskip("sklearn.datasets")
transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")

from PIL import Image  # noqa: E402
from torch.utils.data import DataLoader, Dataset  # noqa: E402

PHOTOGRAPHS = ("astronaut", "chelsea", "coffee", "camera", "rocket")
"""Of the wheel of scikit-image: colour and grey, upright and wide."""


def dry_run(make: Callable[[], Any], **intent: Any) -> Report:
    """Judge a live loader, in a fork of this process."""
    request = Request("dry-run", TargetOptions("loader"), intent=Intent(**intent), limits=Limits(batches=20))
    return diagnose_object(make(), request)


def loud(report: Report) -> list[tuple[str, tuple[Any, ...]]]:
    """Rules above `info`, with their samples."""
    return [(one.rule, tuple(one.samples)) for one in report.findings if one.level is not Level.INFO]


@pytest.fixture(scope="module")
def photographs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Files of several formats, sizes and modes, cut from real photographs."""
    folder = tmp_path_factory.mktemp("photographs")
    files = []
    arrays = [getattr(skimage_data, name)() for name in PHOTOGRAPHS]
    arrays += list(sklearn_datasets.load_sample_images().images)
    for number, array in enumerate(arrays):
        image = Image.fromarray(array)
        for part in range(6):
            width, height = image.width // 2, image.height // 2
            left, top = part % 3 * image.width // 4, part // 3 * height
            cut = image.crop((left, top, left + width, top + height))
            form = ("jpg", "png", "webp")[part % 3]
            files.append(folder / f"{number}-{part}.{form}")
            cut.save(files[-1])
    return files


class Photographs(Dataset):
    """Files to tensors, as most projects do it."""

    def __init__(self, files: list[Path], *, convert: bool = True) -> None:
        self.files = files
        self.convert = convert

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, index: int) -> dict[str, Any]:
        with Image.open(self.files[index]) as image:
            shown = image.convert("RGB") if self.convert else image
            shown = shown.resize((96, 64))
        pixels = np.asarray(shown, dtype=np.float32) / 255
        pixels = pixels[..., None] if pixels.ndim == 2 else pixels
        return {
            "image": (torch.from_numpy(pixels).permute(2, 0, 1) - 0.5) / 0.25,
            "label": index % 7,
            "path": str(self.files[index]),
        }


@pytest.mark.parametrize("workers", [0, 2])
def test_photographs_are_healthy(photographs: list[Path], workers: int) -> None:
    """Several formats, sizes and modes, each made one by the pipeline."""
    report = dry_run(lambda: DataLoader(Photographs(photographs), 8, shuffle=True, num_workers=workers))
    assert loud(report) == []
    image = next(one for one in report.evidence.sample_fields if one.path == "image")
    assert [(tally.value, tally.count) for tally in image.shapes] == [("3x64x96", len(photographs))]
    assert report.inferred["image"].role == "pixel_values"


def test_a_photograph_that_was_cut_off_is_named(photographs: list[Path], tmp_path: Path) -> None:
    """A download that ended early, with its file's place in the list."""
    cut = tmp_path / "cut.jpg"
    cut.write_bytes(photographs[0].read_bytes()[:3000])
    files = [*photographs[:11], cut, *photographs[11:]]
    report = dry_run(lambda: DataLoader(Photographs(files), 8))
    assert loud(report) == [("DL105", (11,))]
    (finding,) = [one for one in report.findings if one.rule == "DL105"]
    assert "truncated" in finding.message


def test_grey_photographs_that_nobody_converted_are_named(photographs: list[Path]) -> None:
    """Channels that differ, the rare ones by their samples."""
    grey = []
    for number, file in enumerate(photographs):
        with Image.open(file) as image:
            grey += [number] if image.mode == "L" else []
    report = dry_run(lambda: DataLoader(Photographs(photographs, convert=False), 8))
    assert grey
    assert [rule for rule, _ in loud(report)] == ["DL216"]
    (finding,) = [one for one in report.findings if one.rule == "DL216"]
    assert set(finding.samples) <= set(grey)


def texts() -> list[str]:
    """Paragraphs of real English, of many lengths."""
    kinds = ("load_iris", "load_digits", "load_wine", "load_breast_cancer", "load_diabetes", "load_linnerud")
    described = "\n\n".join(getattr(sklearn_datasets, kind)().DESCR for kind in kinds)
    return [part.strip() for part in described.split("\n\n") if len(part.split()) > 3]


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    """A small tokenizer, trained on these texts."""
    model = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="<unk>"))
    model.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel()
    special = ["<pad>", "<unk>", "<s>", "</s>", "<mask>"]
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=1500, special_tokens=special, show_progress=False)
    model.train_from_iterator(texts(), trainer)
    names = {
        "pad_token": "<pad>",
        "unk_token": "<unk>",
        "bos_token": "<s>",
        "eos_token": "</s>",
        "mask_token": "<mask>",
    }
    return transformers.PreTrainedTokenizerFast(tokenizer_object=model, model_max_length=256, **names)


class Encoded(Dataset):
    """Token ids with what the collator needs beside them."""

    def __init__(self, tokenizer: Any, extra: Callable[[int, list[int]], dict[str, Any]]) -> None:
        self.rows = []
        for number, text in enumerate(texts()):
            ids = [*tokenizer.encode(text, truncation=True, max_length=255), tokenizer.eos_token_id]
            self.rows.append({"input_ids": ids, "attention_mask": [1] * len(ids), **extra(number, ids)})

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> dict[str, Any]:
        return dict(self.rows[index])


COLLATORS: dict[str, tuple[str, dict[str, Any], Callable[[int, list[int]], dict[str, Any]]]] = {
    "padding": ("DataCollatorWithPadding", {}, lambda number, ids: {"label": number % 2}),
    "causal": ("DataCollatorForLanguageModeling", {"mlm": False}, lambda number, ids: {}),
    "masked": ("DataCollatorForLanguageModeling", {"mlm_probability": 0.15}, lambda number, ids: {}),
    "seq2seq": ("DataCollatorForSeq2Seq", {}, lambda number, ids: {"labels": ids[: 4 + number % 9]}),
    "tokens": (
        "DataCollatorForTokenClassification",
        {},
        lambda number, ids: {"labels": [i % 5 for i in ids]},
    ),
}


@pytest.mark.parametrize("name", COLLATORS)
def test_the_collators_of_transformers_are_healthy(name: str, tokenizer: Any) -> None:
    """Texts of many lengths, grouped by nobody: padding is a fact, and noted as one."""
    kind, options, extra = COLLATORS[name]
    data = Encoded(tokenizer, extra)
    collator = getattr(transformers, kind)(tokenizer=tokenizer, **options)
    report = dry_run(lambda: DataLoader(data, 16, shuffle=True, collate_fn=collator))
    assert [rule for rule, _ in loud(report) if rule != "DL312"] == []
    padding = report.evidence.batches.padding
    assert padding is not None
    assert padding.path == "input_ids"
    assert padding.source == "`attention_mask`"
    assert 0.2 < padding.share < 0.95


def test_lengths_that_a_collator_cannot_stack_are_named(tokenizer: Any) -> None:
    """The default collator on rows of many lengths, as many write it first."""
    data = Encoded(tokenizer, lambda number, ids: {})
    report = dry_run(lambda: DataLoader(data, 16, collate_fn=transformers.default_data_collator))
    rules = [rule for rule, _ in loud(report)]
    assert rules == ["DL108"]
