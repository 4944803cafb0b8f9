"""DL205: pictures that have to be turned are read as they are stored."""

from PIL import Image, ImageOps
from torch.utils.data import DataLoader, Dataset

from tests.zoo._photos import COUNT, folder, pixels


class Photos(Dataset):
    def __init__(self, part, *, turn, square=False):
        self.paths = sorted((folder() / part).glob("*.jpg"))
        self.turn, self.square = turn, square

    def __len__(self):
        return COUNT

    def __getitem__(self, index):
        picture = Image.open(self.paths[index])
        if self.turn:
            picture = ImageOps.exif_transpose(picture)
        return pixels(picture.resize((48, 48)) if self.square else picture)


def listed(samples):
    return {"image": samples}


def broken():
    return DataLoader(Photos("turned", turn=False, square=True), batch_size=4)


def fixed():
    return DataLoader(Photos("turned", turn=True, square=True), batch_size=4)


def broken_by_size():
    return DataLoader(Photos("turned", turn=False), batch_size=4)


def healthy_turned_by_size():
    return DataLoader(Photos("turned", turn=True), batch_size=4, collate_fn=listed)


def healthy_without_orientation():
    return DataLoader(Photos("images", turn=False), batch_size=4)
