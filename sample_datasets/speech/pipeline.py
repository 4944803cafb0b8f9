"""Short WAV clips with transcripts for a CTC model: clips of several lengths, padded by the collate.

`make_loader` is healthy. Each of the other makers has one fault that real pipelines have had.
"""

from __future__ import annotations

import json
import string
import wave
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

DATA = Path(__file__).resolve().parent / "data"
SAMPLE_RATE = 8_000
BLANK = 0
LETTERS = {letter: number for number, letter in enumerate(" '" + string.ascii_lowercase, start=1)}

VARIANTS = {
    "make_loader_with_unreadable_clip": "sample-failed",
    "make_loader_with_silent_clip": "constant-sample",
    "make_loader_with_division_by_zero": "non-finite",
    "make_loader_with_float64_audio": "float64-field",
    "make_loader_without_resampling": "sample-rate-mix",
}

Sample = dict[str, Any]


def read_wav(path: Path) -> tuple[np.ndarray, int]:
    """Read mono 16-bit PCM and its sampling rate."""
    with wave.open(str(path), "rb") as file:
        return np.frombuffer(file.readframes(file.getnframes()), dtype="<i2"), file.getframerate()


def resample(audio: torch.Tensor, rate: int, new_rate: int) -> torch.Tensor:
    """Change the sampling rate by cutting or extending the spectrum."""
    if rate == new_rate:
        return audio
    length = round(len(audio) * new_rate / rate)
    spectrum = torch.fft.rfft(audio)[: length // 2 + 1]
    resampled: torch.Tensor = torch.fft.irfft(spectrum, n=length) * (length / len(audio))
    return resampled


class SpeechDataset(Dataset[Sample]):
    """Reads a clip and its transcript, with a random gain for training."""

    def __init__(self, manifest: str = "manifest.jsonl") -> None:
        lines = (DATA / manifest).read_text(encoding="utf-8").splitlines()
        self.rows: list[dict[str, str]] = [json.loads(line) for line in lines]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> Sample:
        row = self.rows[index]
        pcm, rate = read_wav(DATA / row["audio"])
        audio = self.match_rate(self.scale(pcm), rate)
        gain = 0.7 + 0.3 * torch.rand(()).item()
        return {
            "id": row["id"],
            "audio": audio * gain,
            "text": row["text"],
            "targets": torch.tensor([LETTERS[letter] for letter in row["text"]]),
        }

    def scale(self, pcm: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(pcm.astype(np.float32) / 32_768)

    def match_rate(self, audio: torch.Tensor, rate: int) -> torch.Tensor:
        return resample(audio, rate, SAMPLE_RATE)


def collate(samples: list[Sample]) -> dict[str, Any]:
    """Pad clips with silence and targets with blanks, and keep the length of each."""
    audio = [sample["audio"] for sample in samples]
    targets = [sample["targets"] for sample in samples]
    return {
        "id": [sample["id"] for sample in samples],
        "audio": pad_sequence(audio, batch_first=True),
        "audio_lengths": torch.tensor([len(clip) for clip in audio]),
        "text": [sample["text"] for sample in samples],
        "targets": pad_sequence(targets, batch_first=True, padding_value=BLANK),
        "target_lengths": torch.tensor([len(row) for row in targets]),
    }


def make_loader(dataset: SpeechDataset | None = None) -> DataLoader[Sample]:
    """The healthy training loader."""
    dataset = dataset or SpeechDataset()
    return DataLoader(dataset, batch_size=8, shuffle=True, num_workers=2, collate_fn=collate, drop_last=True)


def make_loader_with_unreadable_clip() -> DataLoader[Sample]:
    """An error page of the server was saved as a WAV file."""
    return make_loader(SpeechDataset("manifest_one_unreadable.jsonl"))


def make_loader_with_silent_clip() -> DataLoader[Sample]:
    """One clip was recorded with a muted microphone."""
    return make_loader(SpeechDataset("manifest_one_silent.jsonl"))


class PeakNormalisedDataset(SpeechDataset):
    """Scales each clip to its own peak."""

    def scale(self, pcm: np.ndarray) -> torch.Tensor:
        audio = super().scale(pcm)
        return audio / audio.abs().max()


def make_loader_with_division_by_zero() -> DataLoader[Sample]:
    """Scaling a silent clip to its peak divides zero by zero."""
    return make_loader(PeakNormalisedDataset("manifest_one_silent.jsonl"))


class DoubleDataset(SpeechDataset):
    """Leaves the precision to numpy, which divides integers in float64."""

    def scale(self, pcm: np.ndarray) -> torch.Tensor:
        return torch.from_numpy(pcm / 32_768)


def make_loader_with_float64_audio() -> DataLoader[Sample]:
    """Clips travel as float64, in twice the bytes."""
    return make_loader(DoubleDataset())


class AsRecordedDataset(SpeechDataset):
    """Keeps each clip at the rate at which it was recorded."""

    def match_rate(self, audio: torch.Tensor, rate: int) -> torch.Tensor:
        return audio


def make_loader_without_resampling() -> DataLoader[Sample]:
    """Two clips of 11 kHz are taken for clips of 8 kHz, and sound slow and low."""
    return make_loader(AsRecordedDataset())
