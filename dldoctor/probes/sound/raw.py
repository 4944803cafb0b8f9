"""Whether a sound is a part of its recording as it is: for windows of one length, which no length tells."""

from __future__ import annotations

import wave
from typing import Any

from dldoctor.probes.look import as_tensor

PIECE = 256
SAME = 0.999
"""Correlation from which on a piece is the recording's own, whatever its gain."""
LONGEST = 4_000_000
"""Numbers of a recording that are looked through."""


def is_part_of(sound: Any, path: str) -> bool | None:
    """Whether a piece of a sound stands in a recording; None where that cannot be told."""
    recorded = _recorded(path)
    tensor = as_tensor(sound)
    if recorded is None or tensor is None or not tensor.is_floating_point():
        return None
    rows = tensor.detach().double()
    row = rows if rows.ndim == 1 else rows[0] if rows.shape[0] < rows.shape[-1] else rows[:, 0]
    piece = _loudest(row)
    if piece is None or len(recorded) < PIECE:
        return None
    return _best(piece, recorded) >= SAME


def _recorded(path: str) -> Any:
    """Return the numbers of a mono recording of 16 bits."""
    import torch

    try:
        with wave.open(path, "rb") as file:
            if file.getsampwidth() != 2 or file.getnchannels() != 1:
                return None
            raw = file.readframes(min(file.getnframes(), LONGEST))
    except (OSError, EOFError, wave.Error):
        return None
    return torch.frombuffer(bytearray(raw), dtype=torch.int16).double() if raw else None


def _loudest(row: Any) -> Any:
    """Return the piece of a sound with the most in it; None where it is silent or too short."""
    if len(row) < PIECE:
        return None
    pieces = row[: len(row) // PIECE * PIECE].reshape(-1, PIECE)
    piece = pieces[int(pieces.var(dim=1).argmax())]
    piece = piece - piece.mean()
    norm = float(piece.norm())
    return piece / norm if norm > 0 else None


def _best(piece: Any, recorded: Any) -> float:
    """Return the highest correlation of a piece with any part of the recording."""
    import torch

    size = len(recorded) + PIECE
    product = torch.fft.rfft(recorded, n=size) * torch.fft.rfft(piece, n=size).conj()
    hits = torch.fft.irfft(product, n=size)[: len(recorded) - PIECE + 1]
    sums = torch.cat([recorded.new_zeros(1), recorded.cumsum(0)])
    squares = torch.cat([recorded.new_zeros(1), recorded.square().cumsum(0)])
    mean = (sums[PIECE:] - sums[:-PIECE]) / PIECE
    spread = (squares[PIECE:] - squares[:-PIECE] - PIECE * mean.square()).clamp(min=1e-9).sqrt()
    return float((hits / spread).abs().max())
