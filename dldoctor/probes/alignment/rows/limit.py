"""How large media may be, each and all together."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dldoctor.evidence.row_media import MediaRow

LIMIT_BYTES = 6 * 2**20
ORDINARY_BYTES = 3 * 2**19
"""What the rows of an ordinary page may take together, so that the page stays below 2 MB."""
BYTES_A_PIXEL = 3.0
"""Of a photograph as PNG in base64."""
LARGEST, SMALLEST = 144, 48
CLIP_BYTES_A_SECOND = 8000 * 2 * 4 / 3
LONGEST_S, SHORTEST_S = 3.0, 0.5
ORDINARY_ROWS = 24


@dataclass(frozen=True)
class Sizes:
    """What one row may have."""

    side: int
    """Pixels on the longer side of a picture."""
    seconds: float
    """Of a sound."""


def sizes_for(rows: int, kinds: int = 1) -> Sizes:
    """Return what each of so many rows may have, where they hold so many kinds of media."""
    whole = ORDINARY_BYTES if rows <= ORDINARY_ROWS else 0.75 * LIMIT_BYTES
    share = whole / max(rows, ORDINARY_ROWS) / max(1, kinds)
    side = int((share / BYTES_A_PIXEL) ** 0.5)
    seconds = share / CLIP_BYTES_A_SECOND
    return Sizes(min(LARGEST, max(SMALLEST, side)), round(min(LONGEST_S, max(SHORTEST_S, seconds)), 2))


def side_for(side: int, pictures: int) -> int:
    """Return the side of each of several pictures of one row, which share its room."""
    return max(SMALLEST, min(side, int(side / max(1, pictures) ** 0.5)))


class Room:
    """Counts what was taken, and empties the media of rows that find no room."""

    def __init__(self, limit: int = LIMIT_BYTES) -> None:
        """Start with all of it."""
        self.limit = limit
        self.taken = 0
        self.without = 0

    def fit(self, row: MediaRow) -> MediaRow:
        """Return the row, without its media where they would go beyond the limit; its numbers stay."""
        size = media_bytes(row)
        if self.taken + size <= self.limit:
            self.taken += size
            return row
        self.without += 1
        return replace(
            row,
            pictures=tuple(replace(one, png="") for one in row.pictures),
            masks=tuple(replace(one, png="") for one in row.masks),
            sounds=tuple(replace(one, wav="", envelope=()) for one in row.sounds),
        )


def media_bytes(row: MediaRow) -> int:
    """Return what the media of a row take."""
    pngs = [*(one.png for one in row.pictures), *(one.png for one in row.masks)]
    return sum(map(len, pngs)) + sum(len(one.wav) for one in row.sounds)
