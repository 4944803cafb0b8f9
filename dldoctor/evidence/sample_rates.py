"""At which rates sounds were recorded, and whether they are brought to one rate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dldoctor.evidence.distribution import Tally

Fate = Literal["kept", "resampled", "unknown"]


@dataclass(frozen=True)
class SampleRates:
    """Sounds of the items that were read for this question."""

    path: str
    """Field of the sounds."""
    rates: tuple[Tally, ...]
    """Rates in Hz with their items, commonest first; empty where there was no time to read items."""
    told_by: Literal["file", "field"]
    """Header of the file that is read for an item, or a field of the sample."""
    rate_path: str | None = None
    """Field with the rate of a sample, where there is one; whoever reads the sample can resample by it."""
    in_sample: Fate = "unknown"
    """`kept`: a sound is as long as its file in numbers; `resampled`: in seconds, at one rate for all."""
    in_batch: Fate = "unknown"
    """The same, of what the collate makes of samples one by one."""
