"""DL405: two directory listings are zipped, and the second one is in another order."""

from PIL import Image
from torch.utils.data import DataLoader, Dataset

from tests.zoo._photos import COUNT, folder, levels, pixels


class Segments(Dataset):
    def __init__(self, masks):
        self.images = sorted((folder() / "images").glob("*.jpg"))
        self.masks = masks

    def __len__(self):
        return COUNT

    def __getitem__(self, index):
        image = pixels(Image.open(self.images[index]))
        return {"image": image, "mask": levels(Image.open(self.masks[index]))}


def unsorted():
    """What a listing without an order may give."""
    listed = sorted((folder() / "masks").glob("*.png"))
    return listed[1::2] + listed[::2]


def broken():
    return DataLoader(Segments(unsorted()), batch_size=4)


def fixed():
    return DataLoader(Segments(sorted(unsorted())), batch_size=4)


class Noted(Segments):
    """Each picture has a note whose name has nothing to do with the picture's."""

    def __init__(self):
        super().__init__(None)
        self.notes = sorted((folder() / "notes").glob("*.txt"), key=lambda one: int(one.stem.split("-")[-1]))

    def __getitem__(self, index):
        return {"image": pixels(Image.open(self.images[index])), "text": self.notes[index].read_text()}


def healthy_names_without_a_common_part():
    return DataLoader(Noted(), batch_size=4)
