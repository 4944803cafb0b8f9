"""The members of the tar archives that the run opened."""

from __future__ import annotations

from dataclasses import dataclass

from dldoctor.evidence.distribution import Tally


@dataclass(frozen=True)
class ArchiveEvidence:
    """Members grouped into samples: the key ends at the first dot of the base name."""

    archives: int
    """Archives whose headers were read."""
    members: int
    keys: int
    fields: tuple[Tally, ...]
    """Field names (extensions) with how many samples have them; examples are keys."""
    incomplete: tuple[Tally, ...] = ()
    """Missing field, with how many samples lack it; examples are ``archive:key``."""
    incomplete_keys: int = 0
    duplicated: tuple[str, ...] = ()
    """``archive:key.field`` that occurs twice in one archive."""
    split: tuple[str, ...] = ()
    """``archive:key`` whose members do not lie together, so that a stream reads two samples."""
    repeated_keys: tuple[str, ...] = ()
    """Keys that occur in several archives."""
    dotted: tuple[str, ...] = ()
    """Base names with several dots, whose field is longer than an extension."""
    truncated: tuple[str, ...] = ()
    """Archives that end before their end marker, or could not be read."""
    complete: bool = True
    """False where a limit stopped the reading of headers."""
