"""DL405: two directory listings are zipped, and the second one is in another order."""

import io
import tarfile
from functools import cache

from PIL import Image
from torch.utils.data import DataLoader, Dataset, IterableDataset

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


@cache
def shard():
    """An archive of pictures with texts, of which every fifth picture has none."""
    path = folder() / "shard.tar"
    with tarfile.open(path, "w") as archive:
        for index in range(COUNT):
            members = {"png": (folder() / "masks" / f"mask_{index:03d}.png").read_bytes()}
            if index % 5 != 3:
                members["txt"] = f"a picture, number {index}".encode()
            for ending, content in members.items():
                member = tarfile.TarInfo(f"{index:05d}.{ending}")
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
    return path


class Captioned(IterableDataset):
    """Puts the members of the archive together; the text is forgotten between two keys, or is not."""

    def __init__(self, *, forget):
        self.forget = forget

    def __iter__(self):
        key, image, text = None, None, ""
        with tarfile.open(shard()) as archive:
            for member in archive:
                stem, _, ending = member.name.partition(".")
                if key not in (None, stem):
                    yield {"image": image, "caption": text or "no text"}
                    text = "" if self.forget else text
                key = stem
                content = archive.extractfile(member).read()
                if ending == "png":
                    image = pixels(Image.open(io.BytesIO(content)))
                else:
                    text = content.decode()
        yield {"image": image, "caption": text or "no text"}


def broken_carried():
    return DataLoader(Captioned(forget=False), batch_size=4)


def healthy_forgotten():
    return DataLoader(Captioned(forget=True), batch_size=4)


class Tabled(Dataset):
    """Pictures with texts of a table, which reach a sample as numbers of words alone."""

    def __init__(self, files, texts):
        self.files, self.texts = files, texts
        self.words = sorted({word for text in texts for word in text.split()})

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        image = pixels(Image.open(self.files[index]))
        return {"image": image, "input_ids": [self.words.index(word) for word in self.texts[index].split()]}


def rows_of_table():
    """A table of the pictures, in an order that no listing of the folder has."""
    pictures = sorted((folder() / "images").glob("*.jpg"))
    rows = [(path.name, f"view {number} of the old town") for number, path in enumerate(pictures)]
    rows = rows[::2] + rows[1::2]
    table = folder() / "captions.csv"
    table.write_text("file,caption\n" + "".join(f"{name},{text}\n" for name, text in rows))
    return rows


def broken_listing_beside_a_table():
    pictures = sorted((folder() / "images").glob("*.jpg"))
    return DataLoader(Tabled(pictures, [text for _, text in rows_of_table()]), collate_fn=list, batch_size=4)


def healthy_rows_of_a_table():
    rows = rows_of_table()
    pictures = [folder() / "images" / name for name, _ in rows]
    return DataLoader(Tabled(pictures, [text for _, text in rows]), collate_fn=list, batch_size=4)
