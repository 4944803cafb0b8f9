"""What a change would bring, tried on the user's own data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Trial:
    """One remedy, tried on the user's own data in a run of its own, in turns with what is there now."""

    name: str
    """``stack``, ``tensors``, ``uint8``, ``draft``, ``decoder`` (one for each that is installed), ``sequential``,
    ``cold`` (reads from the device, then from the page cache), ``alone`` (what a sample waits beside the other
    workers, then without them), ``cache``, ``pickle``, ``start`` (of the workers, again), ``again`` (slow samples
    read again; `parts` are id, first and second time)."""
    now_ns: int
    then_ns: int
    """Per batch, or per sample where `per` says so."""
    ratio: float
    """`now` over `then`, median of the pairs."""
    low: float
    high: float
    """90% interval of `ratio`."""
    pairs: int
    per: str = "batch"
    measured: bool = True
    """Else computed from what was measured."""
    now_bytes: int = 0
    then_bytes: int = 0
    detail: str = ""
    parts: tuple[tuple[str, int, int], ...] = ()
    """Name, bytes and nanoseconds of parts."""

    @property
    def saved_ns(self) -> int:
        """Time that the remedy takes off."""
        return self.now_ns - self.then_ns

    @property
    def sure(self) -> bool:
        """Whether the interval excludes "no difference"."""
        return self.low > 1.0
