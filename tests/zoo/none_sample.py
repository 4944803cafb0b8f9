"""DL106: a clip that is too short becomes None, and torch's own collate meets it."""

import torch
from torch.utils.data import DataLoader, Dataset
from torch.utils.data import default_collate as torch_collate


class Clips(Dataset):
    """Clips of a fixed length; what is shorter is given up."""

    def __init__(self, *, forgetful=False):
        self.lengths = [40 if k % 11 != 3 else 12 for k in range(44)]
        self.forgetful = forgetful

    def __len__(self):
        return len(self.lengths)

    def __getitem__(self, index):
        if self.lengths[index] < 32:
            return None
        clip = torch.sin(torch.arange(32.0) * (index + 1) / 9)
        sample = {"clip": clip, "speaker": f"s{index % 4}"}
        return None if self.forgetful else sample


def drop_none(batch):
    return torch_collate([sample for sample in batch if sample is not None])


def broken():
    return DataLoader(Clips(), batch_size=4)


def fixed():
    return DataLoader(Clips(), batch_size=4, collate_fn=drop_none)


def broken_no_return():
    return DataLoader(Clips(forgetful=True), batch_size=4)


def healthy_list_batches():
    return DataLoader(Clips(), batch_size=4, collate_fn=list)
