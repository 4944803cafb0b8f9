"""The sample pipelines: their data is made by a script, the healthy ones are healthy, each ill one has its fault."""

from __future__ import annotations

import importlib
import inspect
import io
import subprocess
import sys
import tarfile
import wave
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

np = pytest.importorskip("numpy")
pytest.importorskip("PIL")
torch = pytest.importorskip("torch")

from PIL import Image  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ROOT / "sample_datasets"
NAMES = ("captions", "chat", "shards", "speech")
PHOTOGRAPHS = ("skimage", "sklearn")
NEEDS = {"captions": PHOTOGRAPHS, "chat": (), "shards": PHOTOGRAPHS, "speech": ()}
TRUNCATED = "images/truncated_download.jpg"


@pytest.fixture
def pipeline(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """Import a pipeline by its name, as a user does from the root of the checkout."""
    monkeypatch.syspath_prepend(str(ROOT))
    return lambda name: importlib.import_module(f"sample_datasets.{name}.pipeline")


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def look_of_image(content: bytes) -> tuple[Any, ...]:
    """What an encoder of another version leaves as it is."""
    with Image.open(io.BytesIO(content)) as image:
        return image.format, image.size, image.mode, dict(image.getexif())


def look(name: str, content: bytes) -> Any:
    """The content of a file, apart from what another version of Pillow or numpy may round differently."""
    if name == TRUNCATED:
        return content[:3]
    if name.endswith(".jpg"):
        return look_of_image(content)
    if name.endswith(".tar"):
        with tarfile.open(fileobj=io.BytesIO(content)) as tar:
            return [(member.name, look(member.name, tar.extractfile(member).read())) for member in tar]
    if name.endswith(".wav") and content[:4] == b"RIFF":
        with wave.open(io.BytesIO(content)) as clip:
            loudness = np.abs(np.frombuffer(clip.readframes(clip.getnframes()), "<i2").astype(int))
            return clip.getparams(), round(float(loudness.mean()))
    return content


@pytest.mark.parametrize("name", NAMES)
def test_the_data_is_made_again_by_its_script(name: str, tmp_path: Path) -> None:
    """Two runs give the same bytes, and what they give is what is committed."""
    for package in NEEDS[name]:
        pytest.importorskip(package, reason=f"the photographs come with {package}")
    for folder in ("first", "second"):
        subprocess.run([sys.executable, SAMPLES / name / "make_data.py", tmp_path / folder], check=True)
    first, committed = files(tmp_path / "first"), files(SAMPLES / name / "data")
    assert first == files(tmp_path / "second")
    assert {path: look(path, content) for path, content in first.items()} == {
        path: look(path, content) for path, content in committed.items()
    }


def test_all_data_is_below_two_megabytes() -> None:
    """A clone stays small."""
    assert (
        sum(len(content) for name in NAMES for content in files(SAMPLES / name / "data").values()) < 2_000_000
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_maker_is_listed_documented_and_needs_no_argument(
    name: str, pipeline: Callable[[str], ModuleType]
) -> None:
    """`VARIANTS` names every ill maker, and the README every maker with its rule."""
    module = pipeline(name)
    makers = {key: value for key, value in vars(module).items() if key.startswith("make_loader")}
    readme = (SAMPLES / "README.md").read_text(encoding="utf-8")
    section = readme.partition(f"## {name}\n")[2].partition("\n## ")[0]
    assert set(makers) == {"make_loader", *module.VARIANTS}
    assert [key for key, maker in makers.items() if not maker.__doc__] == []
    for maker in makers.values():
        assert [p for p in inspect.signature(maker).parameters.values() if p.default is p.empty] == []
    for maker, rule in module.VARIANTS.items():
        row = next(line for line in section.splitlines() if f"`{maker}`" in line)
        assert f"`{rule}`" in row


HEALTHY = {
    "captions": (
        10,
        "image_id",
        {"image_id": "str", "pixel_values": "float32", "input_ids": "int64", "attention_mask": "int64"},
        {"pixel_values": {(8, 3, 112, 112)}},
    ),
    "chat": (15, "id", {"id": "str", "input_ids": "int64", "attention_mask": "int64", "labels": "int64"}, {}),
    "shards": (
        8,
        "__key__",
        {"__key__": "str", "pixel_values": "float32", "text": "str", "label": "int64"},
        {"pixel_values": {(8, 3, 64, 64)}, "label": {(8,)}},
    ),
    "speech": (
        5,
        "id",
        {
            "id": "str",
            "audio": "float32",
            "audio_lengths": "int64",
            "text": "str",
            "targets": "int64",
            "target_lengths": "int64",
        },
        {"audio_lengths": {(8,)}, "target_lengths": {(8,)}},
    ),
}


def dtype(field: Any) -> str:
    return type(field[0]).__name__ if isinstance(field, list) else str(field.dtype).removeprefix("torch.")


@pytest.mark.parametrize("num_workers", [0, 2])
@pytest.mark.parametrize("name", NAMES)
def test_a_healthy_loader_gives_every_sample_once(
    name: str, num_workers: int, pipeline: Callable[[str], ModuleType]
) -> None:
    """The number of batches, their fields and shapes do not depend on the workers."""
    count, id_field, dtypes, shapes = HEALTHY[name]
    loader = pipeline(name).make_loader()
    loader.num_workers = num_workers
    batches = list(loader)
    ids = [sample_id for batch in batches for sample_id in batch[id_field]]
    assert len(batches) == count
    assert len(set(ids)) == len(ids) == 8 * count
    assert [{key: dtype(field) for key, field in batch.items()} for batch in batches] == [dtypes] * count
    for field, expected in shapes.items():
        assert {tuple(batch[field].shape) for batch in batches} == expected


@pytest.mark.parametrize("name", NAMES)
def test_healthy_values_are_finite_and_vary(name: str, pipeline: Callable[[str], ModuleType]) -> None:
    """No image or clip is constant or not finite."""
    loader = pipeline(name).make_loader()
    loader.num_workers = 0
    for batch in loader:
        for field in ("pixel_values", "audio"):
            for row in batch.get(field, []):
                assert bool(row.isfinite().all())
                assert float(row.std()) > 0.01


def test_answers_and_their_end_are_trained_and_nothing_else(pipeline: Callable[[str], ModuleType]) -> None:
    """Each conversation trains one <eos> per answer, and no padding."""
    dataset = pipeline("chat").ChatDataset()
    loader = pipeline("chat").make_loader(dataset)
    loader.num_workers = 0
    answers = {
        row["id"]: sum(turn["role"] == "assistant" for turn in row["messages"]) for row in dataset.rows
    }
    for batch in loader:
        ends = (batch["labels"] == dataset.tokenizer.eos_id).sum(dim=1).tolist()
        assert ends == [answers[row] for row in batch["id"]]
        assert bool((batch["labels"][batch["attention_mask"] == 0] == -100).all())


def samples(loader: Any) -> list[Any]:
    """Every sample of a loader's dataset, read in this process."""
    dataset = loader.dataset
    if isinstance(dataset, torch.utils.data.IterableDataset):
        return list(dataset)
    return [dataset[index] for index in range(len(dataset))]


def batches(loader: Any) -> list[Any]:
    """The batches of a loader, made in this process."""
    loader.num_workers = 0
    return list(loader)


def unreadable(dataset: Any) -> list[int]:
    """The indices at which a clip cannot be read."""
    failing = []
    for index in range(len(dataset)):
        try:
            dataset[index]
        except wave.Error:
            failing.append(index)
    return failing


def is_constant(values: Any) -> bool:
    return bool(values.min() == values.max())


FAULTS: dict[tuple[str, str], tuple[Callable[[Any], Any], Any]] = {
    ("captions", "missing_caption"): (
        lambda loader: [s["image_id"] for s in samples(loader) if "input_ids" not in s],
        ["china_08"],
    ),
    ("captions", "swallowed_errors"): (
        lambda loader: [
            (i, s["image_id"])
            for i, s in enumerate(samples(loader))
            if s["image_id"] != loader.dataset.rows[i]["id"]
        ],
        [(23, "coffee_07")],
    ),
    ("captions", "blank_image"): (
        lambda loader: [i for i, s in enumerate(samples(loader)) if is_constant(s["pixel_values"])],
        [57],
    ),
    ("captions", "division_by_zero"): (
        lambda loader: [i for i, s in enumerate(samples(loader)) if s["pixel_values"].isnan().all()],
        [57],
    ),
    ("captions", "rgb_conversion"): (
        lambda loader: sorted(len(s["pixel_values"]) for s in samples(loader) if len(s["pixel_values"]) != 3),
        [1, 1, 4],
    ),
    ("captions", "captions_of_others"): (
        lambda loader: sum(Path(row["image"]).stem != row["id"] for row in loader.dataset.rows),
        71,
    ),
    ("chat", "padding_to_max_length"): (
        lambda loader: {batch["input_ids"].shape[1] for batch in batches(loader)},
        {256},
    ),
    ("chat", "pasted_log"): (
        lambda loader: [i for i, s in enumerate(samples(loader)) if len(s["input_ids"]) > 4 * 92],
        [77],
    ),
    ("chat", "deleted_conversation"): (
        lambda loader: [i for i, s in enumerate(samples(loader)) if len(s["input_ids"]) == 1],
        [30],
    ),
    ("chat", "pad_as_eos"): (
        lambda loader: sum(
            int((b["labels"] == loader.dataset.tokenizer.eos_id).sum()) for b in batches(loader)
        ),
        0,
    ),
    ("chat", "truncated_answers"): (
        lambda loader: sum(bool((s["labels"] == -100).all()) for s in samples(loader)),
        55,
    ),
    ("shards", "lost_text"): (lambda loader: len(samples(loader)), 63),
    ("shards", "wrong_extension"): (lambda loader: len(samples(loader)), 0),
    ("shards", "outdated_length"): (lambda loader: (len(loader.dataset), len(samples(loader))), (80, 64)),
    ("shards", "worker_split"): (lambda loader: (len(list(loader)), loader.num_workers), (16, 2)),
    ("speech", "unreadable_clip"): (lambda loader: unreadable(loader.dataset), [26]),
    ("speech", "silent_clip"): (
        lambda loader: [i for i, s in enumerate(samples(loader)) if is_constant(s["audio"])],
        [17],
    ),
    ("speech", "division_by_zero"): (
        lambda loader: [i for i, s in enumerate(samples(loader)) if s["audio"].isnan().all()],
        [17],
    ),
    ("speech", "float64_audio"): (
        lambda loader: {s["audio"].dtype for s in samples(loader)},
        {torch.float64},
    ),
    ("speech", "resampling"): (
        lambda loader: [i for i, s in enumerate(samples(loader)) if len(s["audio"]) / len(s["text"]) > 660],
        [11, 29],
    ),
}


@pytest.mark.parametrize(("name", "fault"), FAULTS)
def test_an_ill_maker_has_its_fault(name: str, fault: str, pipeline: Callable[[str], ModuleType]) -> None:
    """The fault is in what the loader reads, where and as often as planned."""
    module = pipeline(name)
    (maker,) = [key for key in module.VARIANTS if key.endswith(f"_{fault}")]
    measure, expected = FAULTS[name, fault]
    assert measure(getattr(module, maker)()) == expected


def test_every_ill_maker_is_proven(pipeline: Callable[[str], ModuleType]) -> None:
    """No variant is left out of the table above."""
    assert len(FAULTS) == sum(len(pipeline(name).VARIANTS) for name in NAMES)
