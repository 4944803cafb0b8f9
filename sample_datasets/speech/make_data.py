"""Makes `data/`: 40 clips of two spoken digits, synthesised from formants, and their transcripts.

Run it as `python sample_datasets/speech/make_data.py [FOLDER]`; the same numpy gives the same bytes again.
"""

from __future__ import annotations

import json
import sys
import wave
from pathlib import Path

import numpy as np

SEED = 8
CLIPS = 40
RATE = 8_000
OTHER_RATES = {11: 11_025, 29: 11_025}
DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
SPEAKERS = {"ada": 196.0, "ben": 108.0, "cleo": 221.0, "dan": 131.0}
FORMANTS = {
    "a": (730, 1090, 2440),
    "e": (530, 1840, 2480),
    "i": (270, 2290, 3010),
    "o": (570, 840, 2410),
    "u": (300, 870, 2240),
}
HISSING = "sftxhkcp"
MURMUR = (250, 1200, 2200)
SECONDS = {"vowel": 0.085, "consonant": 0.055, "space": 0.04}
SERVER_ERROR = (
    b"<html><head><title>503 Service Unavailable</title></head><body>Try again later.</body></html>\n"
)

Audio = np.ndarray


def voiced(formants: tuple[int, ...], pitch: float, time: Audio) -> Audio:
    """Harmonics of a falling pitch, each as loud as the nearest formants let it be."""
    phase = 2 * np.pi * pitch * (time - 0.3 * time**2)
    sound = np.zeros_like(time)
    for harmonic in range(1, int(3_600 / pitch)):
        frequency = harmonic * pitch
        loudness = sum(1 / (1 + ((frequency - formant) / 110) ** 2) for formant in formants)
        sound += loudness * np.sin(harmonic * phase)
    return sound


def speak(text: str, pitch: float, rate: int, random: np.random.RandomState) -> Audio:
    """Say a text letter by letter, over the faint noise of a room."""
    tempo = random.uniform(0.9, 1.1)
    pieces = []
    for letter in text:
        kind = "vowel" if letter in FORMANTS else "space" if letter == " " else "consonant"
        time = np.arange(int(SECONDS[kind] * tempo * rate)) / rate
        fade = np.sin(np.pi * (np.arange(len(time)) + 0.5) / len(time)) ** 0.5
        if kind == "vowel":
            sound = voiced(FORMANTS[letter], pitch, time)
        elif kind == "space":
            sound = np.zeros_like(time)
        elif letter in HISSING:
            sound = 0.3 * np.diff(random.normal(size=len(time) + 1))
        else:
            sound = 0.4 * voiced(MURMUR, pitch, time)
        pieces.append(fade * sound)
    speech = np.concatenate(pieces)
    return 0.6 * speech / np.abs(speech).max() + 0.002 * random.normal(size=len(speech))


def write_wav(path: Path, audio: Audio, rate: int = RATE) -> None:
    """Write mono 16-bit PCM."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(np.round(audio * 32_767).astype("<i2").tobytes())


def write_manifest(path: Path, rows: list[dict[str, str]]) -> None:
    """Write one JSON object a line."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def with_clip(rows: list[dict[str, str]], position: int, clip: str) -> list[dict[str, str]]:
    """Give the rows with another clip at one position."""
    return [{**row, "audio": clip} if number == position else row for number, row in enumerate(rows)]


def make_data(folder: Path) -> None:
    """Write the clips, the manifest, and two manifests that each name one bad clip."""
    (folder / "clips").mkdir(parents=True, exist_ok=True)
    random = np.random.RandomState(SEED)
    pairs = [f"{first} {second}" for first in DIGITS for second in DIGITS if first != second]
    texts = [pairs[position] for position in random.permutation(len(pairs))[:CLIPS]]
    rows = []
    for number, text in enumerate(texts):
        speaker = sorted(SPEAKERS)[number % len(SPEAKERS)]
        rate = OTHER_RATES.get(number, RATE)
        clip = f"clips/{speaker}_{number:02}.wav"
        write_wav(folder / clip, speak(text, SPEAKERS[speaker], rate, random), rate)
        rows.append({"id": f"{speaker}_{number:02}", "audio": clip, "text": text})
    write_manifest(folder / "manifest.jsonl", rows)

    write_wav(folder / "clips" / "muted_microphone.wav", np.zeros(RATE // 2))
    write_manifest(folder / "manifest_one_silent.jsonl", with_clip(rows, 17, "clips/muted_microphone.wav"))
    (folder / "clips" / "server_error.wav").write_bytes(SERVER_ERROR)
    write_manifest(folder / "manifest_one_unreadable.jsonl", with_clip(rows, 26, "clips/server_error.wav"))


if __name__ == "__main__":
    make_data(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "data")
