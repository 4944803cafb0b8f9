"""What check-labels costs: 1,000 rows of 2,048 tokens, in our own CPU time and in bytes of the report.

``python benchmarks/labels.py`` prints seconds of CPU for reducing the rows to facts (without the
user's loader) and the size of the JSON branch. Run it on a quiet machine.
"""

from __future__ import annotations

import time

import msgspec
import torch

from dldoctor.intent import Intent
from dldoctor.probes.labels.collect import LabelCollector
from dldoctor.probes.labels.run import vocabulary
from dldoctor.probes.labels.trace import TracedCollate, parted
from dldoctor.probes.wrappers import Envelope

ROWS, WIDTH, BATCH = 1000, 2048, 8


def samples(first: int) -> list[dict[str, torch.Tensor]]:
    """Return one batch of conversations with masked prompts."""
    made = []
    for number in range(first, first + BATCH):
        generator = torch.Generator().manual_seed(number)
        length = WIDTH - int(torch.randint(0, 200, (1,), generator=generator))
        ids = torch.randint(5, 32000, (length,), generator=generator)
        ids[0], ids[-1] = 2, 1
        labels = ids.clone()
        labels[: length // 2] = -100
        made.append({"input_ids": ids, "labels": labels})
    return made


def collate(given: list[dict[str, torch.Tensor]]) -> dict[str, torch.Tensor]:
    """Pad to the width."""
    ids = torch.zeros(len(given), WIDTH, dtype=torch.long)
    labels, mask = torch.full_like(ids, -100), torch.zeros_like(ids)
    for row, one in enumerate(given):
        length = len(one["input_ids"])
        ids[row, :length], labels[row, :length], mask[row, :length] = one["input_ids"], one["labels"], 1
    return {"input_ids": ids, "attention_mask": mask, "labels": labels}


def main() -> None:
    """Print the two figures."""
    intent = Intent(eos_id=1, pad_id=0, bos_id=2, vocab_size=32000)
    collector = LabelCollector(intent, None, vocabulary(intent, None), None, None, {})
    traced = TracedCollate(lambda given: Envelope(collate(given), b""))
    spent = tracing = 0.0
    for first in range(0, ROWS, BATCH):
        given = samples(first)
        start = time.process_time()
        collate(given)
        bare = time.process_time()
        envelope = traced(given)
        tracing += time.process_time() - bare - (bare - start)
        start = time.process_time()
        collector.take(envelope.batch, range(first, first + BATCH), parted(envelope.record)[1])
        spent += time.process_time() - start
    start = time.process_time()
    collector.settle()
    found = collector.evidence()
    spent += time.process_time() - start
    size = len(msgspec.json.format(msgspec.json.encode(found), indent=2))
    print(
        f"{len(found.rows)} rows of {WIDTH}: {spent:.2f} s of CPU to judge, {tracing:.2f} s to trace samples in the workers"
    )
    print(f"{size / 1e6:.2f} MB of JSON, {len(found.shown)} rows shown")


if __name__ == "__main__":
    main()
