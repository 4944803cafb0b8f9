"""DL217: most pictures of a mixture of texts and pictures are black stand-ins."""

import torch
from torch.utils.data import DataLoader, Dataset


class Mixture(Dataset):
    """Texts, of which every n-th comes with a picture."""

    def __init__(self, every, placeholder=True):
        self.every, self.placeholder = every, placeholder

    def __len__(self):
        return 80

    def __getitem__(self, index):
        if not 0 <= index < 80:
            raise IndexError(index)
        generator = torch.Generator().manual_seed(index)
        sample = {"text": f"what stands in text number {index}"}
        if index % self.every == 0:
            sample["image"] = torch.rand(3, 16, 16, generator=generator)
        elif self.placeholder:
            sample["image"] = None
        return sample


def keep_lists(samples):
    return {key: [one.get(key) for one in samples] for key in ("text", "image")}


def loader(every):
    return DataLoader(Mixture(every), batch_size=8, collate_fn=keep_lists)


def broken():
    return loader(20)


def fixed():
    return loader(2)


def healthy_pictures_in_all():
    return loader(1)
