"""DL603: a stream that is split by worker and not by rank, so that every rank trains on everything."""

import os

import torch
from torch.utils.data import DataLoader, Dataset, DistributedSampler, IterableDataset, get_worker_info

LIMITS = {"ranks": 2}


class Documents(IterableDataset):
    """Token ids of documents."""

    def __init__(self, by_rank):
        self.by_rank = by_rank

    def __iter__(self):
        info = get_worker_info()
        part, parts = (info.id, info.num_workers) if info else (0, 1)
        if self.by_rank:
            part += int(os.environ.get("RANK", "0")) * parts
            parts *= int(os.environ.get("WORLD_SIZE", "1"))
        for k in range(part, 32, parts):
            yield {"doc_id": k, "input_ids": torch.arange(k + 3, k + 11)}


class Numbers(Dataset):
    """Numbers and their squares."""

    def __len__(self):
        return 40

    def __getitem__(self, index):
        return torch.tensor([index, index**2])


def broken():
    return DataLoader(Documents(by_rank=False), batch_size=4, num_workers=2)


def fixed():
    return DataLoader(Documents(by_rank=True), batch_size=4, num_workers=2)


def healthy_plain_loader():
    return DataLoader(Numbers(), batch_size=8, shuffle=True)


def healthy_distributed():
    rank, world = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    return DataLoader(Numbers(), batch_size=5, sampler=DistributedSampler(Numbers(), world, rank))


class Part(Dataset):
    """The records of the files of this rank, numbered from 0 on each."""

    def __init__(self):
        rank, world = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
        self.records = [(file, row) for file in range(rank, 8, world) for row in range(6)]

    def __len__(self):
        return len(self.records)

    def __getitem__(self, index):
        return torch.tensor(self.records[index])


def healthy_files_of_its_rank():
    return DataLoader(Part(), batch_size=5, shuffle=True)
