"""DL218 sample-rate-mix."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.phrases import listed, rarest_first, tally_facts
from dldoctor.checks.wording import counted
from dldoctor.evidence.distribution import Tally
from dldoctor.evidence.sample_rates import SampleRates
from dldoctor.finding import Finding, Level, Unjudged

NAMES = ("sampling_rate", "sample_rate", "samplerate", "sr")
SLOWEST_HZ, FASTEST_HZ = 2000, 400_000


@dataclass(frozen=True)
class SampleRateMix(Check):
    """Sounds of several sampling rates reach the batch as they were recorded.

    ## Why it hurts
    A model takes all rows for one rate. A sound of 48 kHz among those of 16 kHz is three times as slow and three
    times as low to it, its transcript is three times too fast, and no shape tells.

    ## What to do
    Resample each sound when it is read, by the rate that its own file states
    (`torchaudio.functional.resample(sound, rate, 16000)`; `Audio(sampling_rate=16000)` in Hugging Face datasets).

    ## When it is wrong
    Sources of several rates that are resampled to one are silent: there a sound is as long as its recording in
    seconds. It speaks where sounds are as long as their recordings in numbers, in the samples and after the
    collate was called with them one by one. Windows of one length are looked for in the recordings (WAV, mono, of
    16 bits). Where only a field states the rate, and what the collate does was not seen, it is a note.
    """

    rule = "DL218"
    name = "sample-rate-mix"
    level = Level.WARNING
    needs = ("samples",)

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Judge the rates of the sounds that were read."""
        protocol = case.evidence.protocol
        found = _stated(case) if protocol is None else protocol.rates
        if found is None and protocol is None:
            yield insufficient(case.evidence.missing.get("protocol", "no items were read for it"))
        elif found is None:
            yield not_applicable("no sound was read whose rate a field or the header of its file states")
        elif not found.rates:
            yield insufficient("there was no time to read items for it")
        elif len(found.rates) > 1 and "resampled" not in (found.in_sample, found.in_batch):
            yield self._mixed(case, found)

    def _mixed(self, case: Case, found: SampleRates) -> Finding:
        spec = case.evidence.loader
        level, why = _judged(found)
        total = sum(one.count for one in found.rates)
        stated = "the headers of their files" if found.told_by == "file" else f"`{found.rate_path}`"
        rare = [one for tally in rarest_first(found.rates)[:-1] for one in tally.examples]
        return self.finding(
            f"sounds in `{found.path}` have {len(found.rates)} sampling rates by {stated}: {_rates(found.rates)}"
            f" of {counted(total, 'item')} that were read; {why}",
            advice="Resample each sound to one rate when it is read.",
            level=level,
            where=spec.dataset_ref if spec else None,
            samples=rare,
            field=found.path,
            rates=tally_facts(found.rates),
            told_by=found.told_by,
            in_sample=found.in_sample,
            in_batch=found.in_batch,
        )


def _stated(case: Case) -> SampleRates | None:
    """Return the rates that a field of a stream's samples states; what becomes of its sounds was not looked at."""
    sounds = case.paths_of("audio")
    for field in case.evidence.sample_fields:
        values = [_number(one.value) for one in field.counts]
        known = all(value is not None and SLOWEST_HZ <= value <= FASTEST_HZ for value in values)
        if len(values) > 1 and known and field.path.rpartition(".")[2].lower() in NAMES:
            return SampleRates(sounds[0] if sounds else field.path, field.counts, "field", field.path)
    return None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _judged(found: SampleRates) -> tuple[Level, str]:
    if found.in_batch == "kept" and (found.in_sample == "kept" or found.told_by == "field"):
        return Level.WARNING, "they reach the batch as they are"
    if found.in_sample == "kept" and found.rate_path is None:
        return Level.WARNING, "they are not resampled, and no field tells their rate to what comes later"
    if found.in_sample == "kept":
        return (
            Level.INFO,
            f"they are not resampled in the samples; fine if the collate does so by `{found.rate_path}`",
        )
    return Level.INFO, "whether they are brought to one rate could not be seen; fine if they are"


def _rates(tallies: tuple[Tally, ...]) -> str:
    parts = [
        f"{float(one.value) / 1000:g} kHz in {one.count} ({listed(one.examples, one.count, 3)})"
        for one in rarest_first(tallies)[:4]
    ]
    return ", ".join(parts)
