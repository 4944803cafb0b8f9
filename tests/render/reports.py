"""Hand-made reports: one healthy, one ill, one hostile, one empty, one crashed, one with many findings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec

from dldoctor.evidence import Evidence
from dldoctor.evidence.batches import BatchesEvidence, DroppedField, MixedBatches, PaddingEvidence
from dldoctor.evidence.distribution import Bin, Distribution, Extreme, Tally
from dldoctor.evidence.fields import FieldEvidence, Offenders
from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.machine import MachineEvidence
from dldoctor.evidence.outcome import Death, Failure, Hang, OutcomeEvidence, Stack, WorkAt
from dldoctor.evidence.samples import FieldPreview, SamplePreview, SamplesEvidence
from dldoctor.evidence.timing import Interval, SlowSample, TimingEvidence
from dldoctor.finding import Finding, Judgement, Level, SourceRef, StreamPosition
from dldoctor.intent import Inferred
from dldoctor.report import SCHEMA, Overhead, Report, Tool, order, summarise

DATASET = SourceRef("captions.py", 41, "Captions.__getitem__")
COLLATE = SourceRef("captions.py", 72, "pad_collate")


def spread(low: float, high: float, count: int = 240, ends: tuple[Any, Any] = (17, 203)) -> Distribution:
    """A distribution between two values, with a hump at a third of the range."""
    step = (high - low) / 20
    heights = [1, 3, 7, 14, 22, 28, 30, 27, 24, 20, 17, 13, 10, 8, 6, 4, 3, 2, 0, 1]
    bins = tuple(Bin(low + i * step, low + (i + 1) * step, n) for i, n in enumerate(heights))
    third, smallest, largest = (low * 2 + high) / 3, ends[0], ends[1]
    return Distribution(
        count=count, min=low, max=high, mean=third, std=(high - low) / 6,
        p1=low + step, p50=third, p90=low + 13 * step, p99=low + 17 * step, histogram=bins,
        smallest=(Extreme(smallest, low), Extreme(4, low + step)),
        largest=(Extreme(largest, high), Extreme(99, high - step)),
    )  # fmt: skip


def one_value(value: float, count: int) -> Distribution:
    """A distribution without spread."""
    return Distribution(
        count, value, value, value, 0.0, value, value, value, value, (Bin(value, value, count),)
    )


LOADER = LoaderSpec(
    kind="map", loader_type="torch.utils.data.dataloader.DataLoader", dataset_type="captions.Captions",
    given="loader", dataset_length=240, loader_length=30, batch_size=8, shuffle=True, num_workers=2,
    prefetch_factor=2, start_method="fork", collate="captions.pad_collate", dataset_ref=DATASET, collate_ref=COLLATE,
)  # fmt: skip

MACHINE = MachineEvidence(
    cores=2, cores_total=2, memory_limit_bytes=8_000_000_000, memory_available_bytes=5_200_000_000,
    shm_free_bytes=67_000_000, shm_total_bytes=67_108_864, open_files_limit=1024, python="3.11.9",
    torch="2.13.0", platform="Linux",
)  # fmt: skip

INFERRED = {
    "image": Inferred("pixel_values", 0.95, "3 channels, values 0 to 1"),
    "caption": Inferred("text", 0.97, "strings of several words"),
    "input_ids": Inferred("token_ids", 0.99, "whole numbers, its name"),
    "label": Inferred("class_label", 0.8, "few whole numbers, its name"),
    "id": Inferred("sample_id", 0.6, "unique texts"),
}

SAMPLE_FIELDS = (
    FieldEvidence(
        "image", "sample", "Tensor", "float32", present=240, shapes=(Tally("3x96x96", 240, (0, 1)),), shape_count=1,
        checked=240, min=0.0, max=1.0, mean=0.4831, std=0.2417, nbytes=110592, transfer="tensor",
        quantiles={"p1": 0.01, "p50": 0.47, "p90": 0.83, "p99": 0.99}, histogram=spread(0, 1),
        reaches="image", heights=one_value(96, 240), widths=one_value(96, 240),
    ),
    FieldEvidence(
        "caption", "sample", "str", None, present=240, lengths=spread(11, 214), distinct=240, nbytes=64,
        counts=(Tally("a dog on a beach", 1, (0,)),), reaches="caption",
    ),
    FieldEvidence(
        "input_ids", "sample", "Tensor", "int64", present=240, shape_count=37,
        shapes=(Tally("14", 22, (0, 4)), Tally("17", 19, (2,)), Tally("12", 18, (9,)), Tally("58", 1, (203,))),
        checked=240, min=0, max=511, mean=181.4, std=140.2, integral=True, lengths=spread(4, 58),
        nbytes=144, transfer="tensor", reaches="input_ids",
    ),
    FieldEvidence(
        "label", "sample", "int", "int", present=240, checked=240, min=0, max=5, mean=2.4, std=1.7, integral=True,
        counts=(Tally("3", 61, (2, 5)), Tally("1", 52, (0,)), Tally("0", 48, (1,)), Tally("5", 40, (8,)),
                Tally("2", 30, (7,)), Tally("4", 9, (33, 70))),
        distinct=6, nbytes=8,
    ),
    FieldEvidence(
        "id", "sample", "str", None, present=240, lengths=one_value(8, 240), distinct=240, nbytes=8,
    ),
)  # fmt: skip

BATCH_FIELDS = (
    FieldEvidence("image", "batch", "Tensor", "float32", present=30, shapes=(Tally("8x3x96x96", 30, (0,)),),
                  shape_count=1, checked=30, min=0.0, max=1.0, mean=0.48, std=0.24, transfer="tensor"),
    FieldEvidence("input_ids", "batch", "Tensor", "int64", present=30, shape_count=12,
                  shapes=(Tally("8x41", 6, (3,)), Tally("8x38", 4, (0,))), checked=30, min=0, max=511, mean=92.1,
                  std=140.0, transfer="tensor"),
    FieldEvidence("attention_mask", "batch", "Tensor", "int64", present=30, shape_count=12,
                  shapes=(Tally("8x41", 6, (3,)), Tally("8x38", 4, (0,))), checked=30, min=0, max=1, mean=0.7,
                  std=0.4, binary=True, transfer="tensor"),
    FieldEvidence("label", "batch", "Tensor", "int64", present=30, shapes=(Tally("8", 30, (0,)),), shape_count=1,
                  checked=30, min=0, max=5, mean=2.4, std=1.7, transfer="tensor"),
)  # fmt: skip


def first_samples() -> tuple[SamplePreview, ...]:
    """Three captioned images."""
    texts = (
        "a dog on a beach",
        "two cups of coffee on a wooden table, seen from above",
        "rocket launch at night",
    )
    return tuple(
        SamplePreview(
            index,
            f"img-{index:04}",
            (
                FieldPreview("image", "Tensor", "float32", "3x96x96", "0 .. 1", "0.21 0.22 0.25 0.31 ..."),
                FieldPreview("caption", "str", None, str(len(text)), None, text),
                FieldPreview(
                    "input_ids", "Tensor", "int64", str(9 + index), "2 .. 498", "2 17 401 33 92 ..."
                ),
                FieldPreview("label", "int", "int", "", str(index), str(index)),
                FieldPreview("id", "str", None, "8", None, f"img-{index:04}"),
            ),
        )
        for index, text in enumerate(texts)
    )


BATCHES = BatchesEvidence(
    delivered=30, planned=100, full_epoch=True, sizes=(Tally("8", 30, (0,)),), container="dict",
    bytes=spread(889_000, 902_000, 30, (3, 21)), tensors=one_value(4, 30),
    padding=PaddingEvidence("input_ids", "attention_mask", 0.224, 0.062, 0.014, 240, spread(4, 58), 0.203, 0.246),
    first=(
        FieldPreview("image", "Tensor", "float32", "8x3x96x96", "0 .. 1", "0.21 0.22 0.25 0.31 ..."),
        FieldPreview("input_ids", "Tensor", "int64", "8x41", "0 .. 498", "2 17 401 33 92 ..."),
        FieldPreview("attention_mask", "Tensor", "int64", "8x41", "0 .. 1", "1 1 1 1 1 ..."),
        FieldPreview("label", "Tensor", "int64", "8", "0 .. 5", "0 1 2 3 3 ..."),
        FieldPreview("caption", "list", "str", "8", None, "a dog on a beach, two cups of coffee on ..."),
    ),
    agreement=("All 5 fields have 8 rows, as many as the batch has samples.",
               "`input_ids` and `attention_mask` have one shape, 8x41."),
)  # fmt: skip

SAMPLES = SamplesEvidence(
    read=240, failed=0, distinct=240, own_id_field="id",
    structures=(Tally("dict(image, caption, input_ids, label, id)", 240, (0,)),),
    bytes=spread(110_800, 112_400), first=first_samples(), full_epoch=True,
)  # fmt: skip

TIMING = TimingEvidence(
    first_batch_ns=84_100_000, batch_p50_ns=18_400_000, sample_p50_ns=4_310_000, batches=spread(9e6, 61e6, 26),
    samples=spread(2.1e6, 31e6), samples_per_s=Interval(412.7, 398.2, 431.9), sample_p50=Interval(4.31e6, 4.1e6, 4.6e6),
    collate_p50_ns=610_000, slowest=(SlowSample(203, 31_000_000, "getitem"), SlowSample(99, 27_000_000, "getitem")),
    counted_batches=26, elapsed_ns=600_000_000, overhead_ns=11_000_000, loader_cpu_ns=1_050_000_000,
)  # fmt: skip

CLEAN = (
    ("DL101", "length-overstated"), ("DL102", "length-understated"), ("DL103", "negative-index"),
    ("DL104", "hidden-stop"), ("DL105", "sample-raises"), ("DL106", "none-sample"), ("DL107", "mixed-structure"),
    ("DL108", "field-dropped"), ("DL113", "tail-batch-of-one"), ("DL201", "non-finite"), ("DL202", "constant-image"),
    ("DL213", "empty-text"), ("DL312", "padding-waste"), ("DL508", "worker-died"), ("DL509", "loader-hang"),
)  # fmt: skip

UNJUDGED = (
    Judgement("DL001", "budget-missed", "not-applicable", "no budget is declared"),
    Judgement("DL215", "heavy-tail", "insufficient-evidence", "30 batches were read, and 32 are needed"),
    Judgement("DL611", "incomplete-members", "not-applicable", "no tar archive was opened"),
    Judgement("DL805", "shm-too-small", "skipped", "left out by --ignore"),
    Judgement("DL806", "prefetch-memory", "skipped", "left out by --ignore"),
)


def as_saved(settings: Any) -> dict[str, Any]:
    """The plain JSON values of a dataclass."""
    plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(settings))
    return plain


def report_of(evidence: Evidence, findings: list[Finding], **parts: Any) -> Report:
    """A report around evidence, with the judgements that fit the findings."""
    hit = {finding.rule: finding.name for finding in findings}
    checks = [Judgement(rule, name, "finding") for rule, name in hit.items()]
    checks += [Judgement(rule, name, "clean") for rule, name in CLEAN if rule not in hit]
    checks += [judgement for judgement in UNJUDGED if judgement.rule not in hit]
    ranked = order(findings)
    base = Report(
        schema=SCHEMA, tool=Tool("dldoctor", "0.1.0"), command="dry-run", target="captions.py:make_loader",
        complete=True, started_at="2026-01-01T00:00:00Z", duration_s=1.84, overhead=Overhead(0.011, 0.0105),
        machine=as_saved(evidence.machine) if evidence.machine else {},
        loader=as_saved(evidence.loader) if evidence.loader else {},
        declared={}, inferred=INFERRED, evidence=evidence, checks=tuple(sorted(checks, key=lambda c: c.rule)),
        findings=ranked, summary=summarise(ranked),
    )  # fmt: skip
    return replace(base, **parts)


def healthy_evidence() -> Evidence:
    """Everything measured, nothing wrong."""
    return Evidence(
        loader=LOADER, machine=MACHINE, fields=(*SAMPLE_FIELDS, *BATCH_FIELDS), samples=SAMPLES, batches=BATCHES,
        timing=TIMING,
    )  # fmt: skip


def healthy_dry_run() -> Report:
    """A dry run on which no rule found anything."""
    return report_of(healthy_evidence(), [])


def ill_findings() -> list[Finding]:
    """Findings of all four levels."""
    return [
        Finding(
            "DL105", "sample-raises", Level.ERROR,
            "3 of 240 samples raise UnidentifiedImageError when they are read",
            "Remove the samples, or repair their files.", DATASET, (31, 77, 180),
            {"failed": 3, "read": 237, "share": 0.0125, "error": "UnidentifiedImageError: cannot identify image file"},
            "dldoctor dry-run captions.py:make_loader --ids 31,77,180",
        ),
        Finding(
            "DL201", "non-finite", Level.ERROR, "`image` holds 12 NaN values in 2 of 237 samples",
            "Guard the division at that line against a zero standard deviation.",
            SourceRef("captions.py", 55, "normalise"), (17, 203),
            {"nan_count": 12, "inf_count": 0, "share": 0.0084, "path": "image"},
            "dldoctor dry-run captions.py:make_loader --ids 17,203",
        ),
        Finding(
            "DL312", "padding-waste", Level.WARNING,
            "46% of the positions of `input_ids` are padding; batching by length would leave 8.1%",
            "Batch samples of similar length together.", COLLATE, (),
            {"share": 0.461, "share_grouped": 0.081, "share_packed": 0.02, "rows": 237, "mean_bytes": 123456},
        ),
        Finding(
            "DL806", "prefetch-memory", Level.RISK,
            "4 batches in flight take 3.6 MB per rank", "Lower `prefetch_factor`.", None, (),
            {"batches_in_flight": 4, "batch_bytes": 902000, "ranks": 1},
        ),
        Finding(
            "DL113", "tail-batch-of-one", Level.INFO,
            "241 items in batches of 8 leave a last batch of 1; harmless if this loader is for evaluation",
            "Pass `drop_last=True` to the training loader.", DATASET, tuple(range(100, 120)), {"tail": 1},
        ),
    ]  # fmt: skip


def ill_dry_run() -> Report:
    """A dry run with failures, missing values, mixed structures and findings of every level."""
    image = replace(
        SAMPLE_FIELDS[0], present=237, nan_count=12, nonfinite=Offenders(2, (17, 203)), max=1.74, checked=237,
        shapes=(Tally("3x96x96", 231, (0, 1)), Tally("1x96x96", 4, (8, 9, 40, 41)), Tally("4x96x96", 2, (66, 90))),
        shape_count=3, modes=(Tally("RGB", 231, (0,)), Tally("L", 4, (8, 9, 40)), Tally("RGBA", 2, (66, 90))),
        heights=spread(48, 640), widths=spread(52, 1024),
    )  # fmt: skip
    caption = replace(
        SAMPLE_FIELDS[1],
        present=236,
        absent=Offenders(1, (12,)),
        nulls=Offenders(2, (50, 51)),
        empty=Offenders(1, (7,)),
    )
    failures = (
        Failure("sample", 31, "UnidentifiedImageError: cannot identify image file 'img-0031.jpg'",
                "UnidentifiedImageError", 3, DATASET, (31, 77, 180), raised_by_user=False),
        Failure("collate", 60, "RuntimeError: stack expects each tensor to be equal size, but got [3, 96, 96] at entry"
                " 0 and [4, 96, 96] at entry 6", "RuntimeError", 2, COLLATE, tuple(range(60, 68)), raised_by_user=False,
                culprit=66, culprit_field="image"),
    )  # fmt: skip
    batches = replace(
        BATCHES, delivered=25, failed=2, spoiled=3, full_epoch=True, sizes=(Tally("8", 24, (0,)), Tally("1", 1, (29,))),
        padding=replace(BATCHES.padding, share=0.461, share_grouped=0.081, share_packed=0.02, low=0.43, high=0.49),
        dropped=(DroppedField("meta.url", 25, 0, (0, 1)), DroppedField("caption", 2, 23, (12, 50))),
        mixed=(MixedBatches("shape", "image", 0, 2),),
        agreement=("`image` has 8 rows, and `input_ids` has 7.",),
    )  # fmt: skip
    evidence = replace(
        healthy_evidence(), fields=(image, caption, *SAMPLE_FIELDS[2:], *BATCH_FIELDS), failures=failures,
        samples=replace(SAMPLES, read=237, failed=3, structures=(
            Tally("dict(image, caption, input_ids, label, id)", 236, (0,)),
            Tally("dict(image, input_ids, label, id)", 1, (12,)),
        ), modalities=(Tally("image+text", 233, (0,)), Tally("image", 4, (7, 12)))), batches=batches,
        outcome=OutcomeEvidence(printed="loading index\nwarning: 3 files are missing\n", printed_lines=2),
    )  # fmt: skip
    return report_of(
        evidence, ill_findings(), declared={"role": "train", "task": "sft", "scaled_on_device": True}
    )


HOSTILE = (
    '<script>document.title="owned"</script><img src=x onerror=alert(1)> {{ 7*7 }} "\'><b>bold</b>',
    "\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\ \x9b2J bell\x07 \x00 nul",
    "[red]markup[/red] [link=http://evil.example]x[/link] :smile: [/] [bold",
    "user\u202egnp.exe\u202c \u2066isolate\u2069 \ufeff zero\u200bwidth so\u00adft",
    "家庭の犬が浜辺を走る " * 6,
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 family \U0001f1e9\U0001f1ea flag e\u0301 z" + "\u0300" * 40,
    "كلب على الشاطئ שלום עולם",
    "line one\nline two\r\nline three\ttab\u2028separator\x85next",
    "x" * 10_000,
    "lone \ud800 surrogate",
    "",
    "   ",
)
"""Texts that break a careless renderer."""


def hostile() -> Report:
    """A report whose every text is trouble."""
    previews = tuple(
        SamplePreview(
            text[:200],
            text,
            (FieldPreview(text, text, text, text, text, text), FieldPreview("n", "int", "", "", "", "")),
        )
        for text in HOSTILE[:3]
    )
    fields = tuple(
        FieldEvidence(
            text, "sample", text, text, present=20, absent=Offenders(1, (text,)), nan_count=1,
            nonfinite=Offenders(1, (text,)), shapes=(Tally(text, 4, (text,)), Tally(text, 1, (text,))), shape_count=2,
            counts=(Tally(text, 13, (text,)), Tally("b", 7, (1,))), distinct=2,
            lengths=spread(1, 9, 20, (text, text)), min=float("-inf"), max=float("nan"), mean=1e300, std=-1e-300,
        )
        for text in HOSTILE
    )  # fmt: skip
    findings = [
        Finding(f"DL{900 + i}", f"hostile-{i}", Level.WARNING, text, text, SourceRef(text, i, text), (text, i),
                {text: text, "list": [text, text], "map": {text: text}}, f"dldoctor dry-run '{text}'")
        for i, text in enumerate(HOSTILE)
    ]  # fmt: skip
    evidence = Evidence(
        loader=replace(LOADER, dataset_type=HOSTILE[0], loader_type=HOSTILE[2]), machine=MACHINE, fields=fields,
        failures=tuple(Failure("sample", text, text, text, 1, SourceRef(text), (text,)) for text in HOSTILE),
        samples=replace(SAMPLES, first=previews, own_id_field=HOSTILE[2]),
        batches=replace(BATCHES, first=previews[0].fields, agreement=HOSTILE, container=HOSTILE[0]),
        timing=TIMING, outcome=OutcomeEvidence(printed="\n".join(HOSTILE), printed_lines=30, cut=HOSTILE[:3]),
        missing={HOSTILE[0]: HOSTILE[1]},
    )  # fmt: skip
    named = {text[:40]: Inferred("text", 0.9, text) for text in HOSTILE}
    checks = tuple(Judgement(f"DL{900 + i}", text, "skipped", text) for i, text in enumerate(HOSTILE))
    return report_of(
        evidence,
        findings,
        target=HOSTILE[0],
        declared={"fields": {"text": HOSTILE[2]}},
        inferred=named,
        checks=checks,
    )


def empty() -> Report:
    """A loader that yields nothing."""
    evidence = Evidence(
        loader=replace(LOADER, dataset_length=0, loader_length=0, num_workers=0, prefetch_factor=None),
        samples=SamplesEvidence(0, 0, 0), batches=BatchesEvidence(0, None, True),
        missing={"timing": "no batch was delivered"},
    )  # fmt: skip
    checks = (Judgement("DL201", "non-finite", "insufficient-evidence", "no sample was read"),)
    return report_of(evidence, [], inferred={}, checks=checks, overhead=Overhead(), duration_s=0.2)


def crashed() -> Report:
    """A stream whose worker was killed, and which then hung and was interrupted."""
    at = WorkAt(1, 4711, "getitem", StreamPosition(1, 37), 9, 7_900_000_000)
    frames = tuple(SourceRef("shards.py", 20 + i, f"step_{i}") for i in range(6))
    outcome = OutcomeEvidence(
        deaths=(Death(at, "SIGKILL", None, "loader", SourceRef("shards.py", 33, "decode"), True, 8_000_000_000,
                      "terminate called\nAborted"),),
        hangs=(Hang("loader", 61.2, 60.0, (Stack(WorkAt(0, 4710, "getitem"), "MainThread", frames, "S"),
                                           Stack(WorkAt(None, 4709, "next"), "MainThread", frames[:2], "S")),
                    frames[0], 288),),
        cut=("The run was interrupted after 9 batches.",), interrupted=True,
    )  # fmt: skip
    finding = Finding(
        "DL508", "worker-died", Level.ERROR, "worker 1 was killed by SIGKILL while it read a sample",
        "Lower the memory that a sample takes.", SourceRef("shards.py", 33, "decode"), (StreamPosition(1, 37),),
        {"signal": "SIGKILL", "rss_bytes": 7_900_000_000, "memory_limit_bytes": 8_000_000_000},
        "dldoctor dry-run shards.py:make_loader --num-workers 1",
    )  # fmt: skip
    evidence = Evidence(
        loader=replace(LOADER, kind="iterable", dataset_type="shards.Shards", dataset_length=None, shuffle=None),
        machine=MACHINE, outcome=outcome, samples=SamplesEvidence(288, 0, 288),
        batches=BatchesEvidence(9, 100, False), missing={"timing": "the run ended too early"},
    )  # fmt: skip
    return report_of(evidence, [finding], complete=False, target="shards.py:make_loader", inferred={})


def many_findings(count: int = 300) -> Report:
    """More findings than anyone reads one by one, and a wide sample."""
    levels = list(Level)
    findings = [
        Finding(f"DL{100 + i % 800}", f"fault-number-{i}", levels[i % 4], f"fault {i} of {count} was seen",
                "Repair it.", SourceRef("data.py", i + 1), (i,), {"share": i / count, "rows": i})
        for i in range(count)
    ]  # fmt: skip
    wide = tuple(replace(SAMPLE_FIELDS[3], path=f"meta.deeply.nested.field_{i}") for i in range(60))
    return report_of(replace(healthy_evidence(), fields=wide), findings)
