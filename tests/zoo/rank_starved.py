"""DL604: fewer shards than ranks, so that one rank has no batch and never joins the others."""

import os

import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

LIMITS = {"ranks": 2}
INTENT = {"role": "train"}


class Shards(IterableDataset):
    """Shards are dealt out to ranks, then to workers."""

    def __init__(self, shards):
        self.shards = shards

    def __iter__(self):
        rank, world = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
        info = get_worker_info()
        own = list(range(self.shards))[rank::world]
        for shard in own[info.id :: info.num_workers] if info else own:
            for k in range(8):
                yield {"__key__": f"{shard:03}/{k:04}", "x": torch.tensor([shard, k, 7])}


def broken():
    return DataLoader(Shards(1), batch_size=4, num_workers=1)


def broken_uneven():
    return DataLoader(Shards(3), batch_size=4, num_workers=1)


def fixed():
    return DataLoader(Shards(2), batch_size=4, num_workers=1)


def healthy_idle_workers():
    return DataLoader(Shards(2), batch_size=4, num_workers=3)
