"""Time and memory of check-sharding: ten million items, 64 ranks, two epochs.

``python benchmarks/sharding.py [ITEMS] [RANKS]`` prints the seconds from start to report, the largest
resident memory of one process, and whether the totals are right. Run it on a quiet machine.
"""

import os
import resource
import sys
import tempfile
import time
from pathlib import Path

from dldoctor.diagnose import diagnose
from dldoctor.intent import Intent, Limits, TargetOptions
from dldoctor.request import Request

PIPELINE = """
import os
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Items(Dataset):
    def __len__(self):
        return {items}

    def __getitem__(self, index):
        return index


def make_loader():
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    return DataLoader(Items(), batch_size=64, sampler=DistributedSampler(Items(), world, rank))
"""


def main(items: int = 10_000_000, ranks: int = 64) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "many.py"
        path.write_text(PIPELINE.format(items=items), encoding="utf-8")
        target = TargetOptions(f"{path}:make_loader")
        started = time.perf_counter()
        report = diagnose(Request("check-sharding", target, Intent(role="train"), Limits(ranks=ranks)))
        seconds = time.perf_counter() - started
    found = report.evidence.coverage
    if found is None:
        print(f"nothing was measured: {report.evidence.missing}")
        return
    padded = -items % ranks
    right = (found.seen_never, found.seen_more, len(found.ranks)) == (0, padded, ranks)
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    load = os.getloadavg()[0] / (os.cpu_count() or 1)
    print(f"{items:,} items, {ranks} ranks ({found.ran} run), {len(found.epochs)} epochs: {seconds:.1f} s")
    print(
        f"largest process {largest / 1e6:.0f} MB, load {load:.1f} a core, totals {'right' if right else 'WRONG'}"
    )


if __name__ == "__main__":
    main(*(int(one) for one in sys.argv[1:]))
