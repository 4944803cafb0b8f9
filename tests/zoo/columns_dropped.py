"""DL117: a trainer keeps the columns of the model's signature, and the collate reads another one."""

import torch
from torch.utils.data import DataLoader, Dataset

OPTIONS = {"experiments": ["randomness", "handles", "columns"]}


class Columns(Dataset):
    """Rows with a weight, which the model does not take."""

    def __len__(self):
        return 24

    def __getitem__(self, index):
        if not 0 <= index < 24:
            raise IndexError(index)
        return {"input_ids": torch.arange(6) + index, "label": index % 3, "weight": 1.0 + index / 24}


class Collator:
    """As `transformers.trainer_utils.RemoveColumnsCollator` stands before the user's collate."""

    def __init__(self, data_collator, signature_columns):
        self.data_collator, self.signature_columns = data_collator, signature_columns

    def __call__(self, features):
        return self.data_collator(
            [{k: v for k, v in feature.items() if k in self.signature_columns} for feature in features]
        )


def weighted(features):
    return {
        "input_ids": torch.stack([f["input_ids"] for f in features]),
        "label": torch.tensor([f["label"] for f in features]),
        "weight": torch.tensor([f.get("weight", 1.0) for f in features]),
    }


def plain(features):
    return {key: torch.stack([torch.as_tensor(f[key]) for f in features]) for key in features[0]}


def broken():
    return DataLoader(Columns(), batch_size=4, collate_fn=Collator(weighted, ["input_ids", "label"]))


def fixed():
    return DataLoader(
        Columns(), batch_size=4, collate_fn=Collator(weighted, ["input_ids", "label", "weight"])
    )


def healthy_reads_what_is_there():
    return DataLoader(Columns(), batch_size=4, collate_fn=Collator(plain, ["input_ids", "label"]))
