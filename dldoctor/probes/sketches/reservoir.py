"""A sample of sample ids that does not depend on the order in which they came."""

from __future__ import annotations

from bisect import insort
from hashlib import blake2b

from dldoctor.finding import SampleId


class Reservoir:
    """The `keep` ids with the lowest hashes: a uniform choice, the same in every run and process."""

    __slots__ = ("_kept", "keep")

    def __init__(self, keep: int = 100) -> None:
        self.keep = keep
        self._kept: list[tuple[bytes, str, SampleId]] = []

    def add(self, sample: SampleId) -> None:
        """Offer one id; an id that is offered again changes nothing."""
        text = str(sample)
        # Python's own hash of a text differs from process to process.
        self._offer((blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), text, sample))

    def merge(self, other: Reservoir) -> None:
        """Take the choice of `other`, which is left as it is."""
        for entry in other._kept:
            self._offer(entry)

    @property
    def ids(self) -> tuple[SampleId, ...]:
        """The chosen ids, by hash."""
        return tuple(sample for _, _, sample in self._kept)

    def _offer(self, entry: tuple[bytes, str, SampleId]) -> None:
        key = entry[:2]
        if len(self._kept) == self.keep and key >= self._kept[-1][:2]:
            return
        if any(kept[:2] == key for kept in self._kept):
            return
        insort(self._kept, entry, key=lambda kept: kept[:2])
        del self._kept[self.keep :]
