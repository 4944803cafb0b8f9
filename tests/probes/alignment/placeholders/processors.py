"""Processors of real models, built from settings, with a tokenizer that is trained here."""

from __future__ import annotations

import importlib
import importlib.util
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tokenizers
import transformers
from PIL import Image

from dldoctor.evidence.labels import Vocabulary
from dldoctor.evidence.placeholders import PlaceholdersEvidence
from dldoctor.intent import Intent
from dldoctor.probes.alignment.placeholders.collect import PlaceholderCollector
from dldoctor.probes.alignment.placeholders.known import known_of
from dldoctor.probes.labels.run import vocabulary
from dldoctor.probes.labels.vocabulary import adapted

TEXT = "please describe what this picture of a red ball shows and say it in a few words"
SIZES = ((120, 60), (60, 120), (56, 56), (100, 100), (200, 50))


@dataclass(frozen=True)
class Family:
    """One processor, and what stands for an image in its texts."""

    processor: Any
    tag: str


def tokenizer(**special: str) -> Any:
    """Train a small byte-pair tokenizer with the special tokens of a model."""
    model = tokenizers.Tokenizer(tokenizers.models.BPE(unk_token="<unk>"))
    model.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=600,
        special_tokens=["<pad>", "<unk>", "<s>", "</s>", *special.values()],
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    model.train_from_iterator([TEXT] * 20, trainer)
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=model, pad_token="<pad>", unk_token="<unk>", bos_token="<s>", eos_token="</s>",
        extra_special_tokens=special,
    )  # fmt: skip


def _images_only(kind: type) -> type:
    """A processor of images without the one of videos, which needs another library."""

    class ImagesOnly(kind):  # type: ignore[misc, valid-type]  # the class is chosen at run time
        def check_argument_for_proper_class(self, name: str, argument: Any) -> Any:
            return (
                None if name == "video_processor" else super().check_argument_for_proper_class(name, argument)
            )

    return ImagesOnly


def qwen() -> Family:
    """Qwen2.5-VL: patches end to end, a grid for each image."""
    words = tokenizer(
        image_token="<|image_pad|>", video_token="<|video_pad|>", vision_start_token="<|vision_start|>",
        vision_end_token="<|vision_end|>",
    )  # fmt: skip
    pixels = transformers.Qwen2VLImageProcessorPil(min_pixels=28 * 28, max_pixels=64 * 28 * 28)
    made = _images_only(transformers.Qwen2_5_VLProcessor)(pixels, words, None)
    return Family(made, "<|vision_start|><|image_pad|><|vision_end|>")


def llava() -> Family:
    """LLaVA: images of one size."""
    pixels = transformers.CLIPImageProcessorPil(
        size={"shortest_edge": 56}, crop_size={"height": 56, "width": 56}
    )
    made = transformers.LlavaProcessor(
        pixels, tokenizer(image_token="<image>"), patch_size=14, vision_feature_select_strategy="default",
        image_token="<image>", num_additional_image_tokens=1,
    )  # fmt: skip
    return Family(made, "<image>")


def internvl() -> Family:
    """InternVL: tiles of all images end to end."""
    words = tokenizer(
        start_image_token="<img>", end_image_token="</img>", context_image_token="<IMG_CONTEXT>", video_token="<video>",
    )  # fmt: skip
    pixels = transformers.GotOcr2ImageProcessorPil(
        size={"height": 56, "width": 56}, crop_to_patches=True, min_patches=1, max_patches=4
    )
    made = _images_only(transformers.InternVLProcessor)(pixels, words, None, image_seq_length=16)
    return Family(made, "<IMG_CONTEXT>")


def _pixtral(side: int, patch: int, merge: int) -> Family:
    pil = importlib.import_module("transformers.models.pixtral.image_processing_pil_pixtral")
    if importlib.util.find_spec("torchvision") is None:
        # The processor takes one function of the other module, which needs it; this one has it too.
        sys.modules.setdefault("transformers.models.pixtral.image_processing_pixtral", pil)
    made = importlib.import_module("transformers.models.pixtral.processing_pixtral").PixtralProcessor(
        pil.PixtralImageProcessorPil(
            size={"longest_edge": side}, patch_size={"height": patch * merge, "width": patch * merge}
        ),
        tokenizer(image_token="[IMG]", image_break_token="[IMG_BREAK]", image_end_token="[IMG_END]"),
        patch_size=patch, spatial_merge_size=merge, image_token="[IMG]", image_break_token="[IMG_BREAK]",
        image_end_token="[IMG_END]",
    )  # fmt: skip
    return Family(made, "[IMG]")


def pixtral() -> Family:
    """Pixtral: lines of patches, each with an end, from the size of the image."""
    return _pixtral(128, 16, 1)


def mistral3() -> Family:
    """Mistral 3: the same with merged patches."""
    return _pixtral(224, 14, 2)


def paligemma() -> Family:
    """PaliGemma: all images at the beginning of the row."""
    pixels = transformers.SiglipImageProcessorPil(size={"height": 56, "width": 56})
    pixels.image_seq_length = 16
    return Family(transformers.PaliGemmaProcessor(pixels, tokenizer(image_token="<image>")), "<image>")


def gemma3() -> Family:
    """Gemma 3: soft tokens between a begin and an end."""
    words = tokenizer(
        image_token="<image_soft_token>", boi_token="<start_of_image>", eoi_token="<end_of_image>"
    )
    pixels = transformers.Gemma3ImageProcessorPil(size={"height": 56, "width": 56})
    return Family(transformers.Gemma3Processor(pixels, words, image_seq_length=16), "<start_of_image>")


def smolvlm() -> Family:
    """SmolVLM: a padded block of tiles for each row."""
    module = importlib.import_module("transformers.models.smolvlm.processing_smolvlm")
    module.num2words = module.num2words or str  # only asked for the frames of a video
    words = tokenizer(
        fake_image_token="<fake_token_around_image>", image_token="<image>", end_of_utterance_token="<end_of_utterance>",
        global_image_token="<global-img>",
    )  # fmt: skip
    pixels = transformers.SmolVLMImageProcessorPil(
        size={"longest_edge": 128}, max_image_size={"longest_edge": 64}
    )
    return Family(_images_only(module.SmolVLMProcessor)(pixels, words, None, image_seq_len=16), "<image>")


def mllama() -> Family:
    """Llama 3.2: one placeholder an image, rows of images of tiles."""
    pixels = transformers.MllamaImageProcessorPil(size={"height": 56, "width": 56}, max_image_tiles=4)
    return Family(transformers.MllamaProcessor(pixels, tokenizer(image_token="<|image|>")), "<|image|>")


def llava_next() -> Family:
    """LLaVA-NeXT: the placeholders of an image follow from a table that no batch has."""
    pixels = transformers.LlavaNextImageProcessorPil(
        size={"shortest_edge": 56}, crop_size={"height": 56, "width": 56},
        image_grid_pinpoints=[[56, 112], [112, 56], [112, 112]],
    )  # fmt: skip
    made = transformers.LlavaNextProcessor(
        pixels, tokenizer(image_token="<image>"), patch_size=14, vision_feature_select_strategy="default",
        image_token="<image>", num_additional_image_tokens=1,
    )  # fmt: skip
    return Family(made, "<image>")


FAMILIES: dict[str, Callable[[], Family]] = {
    "qwen": qwen, "llava": llava, "internvl": internvl, "pixtral": pixtral, "mistral3": mistral3, "paligemma": paligemma,
    "gemma3": gemma3, "smolvlm": smolvlm, "mllama": mllama,
}  # fmt: skip
BY_SIZE = ("qwen", "pixtral", "mistral3")
"""Families in which an image's placeholders follow from its size."""


def picture(size: tuple[int, int], seed: int) -> Image.Image:
    """An image of noise."""
    height, width = size[1], size[0]
    noise = np.random.default_rng(seed).integers(0, 255, (height, width, 3), dtype=np.uint8)
    return Image.fromarray(noise)


def batch_of(family: Family, seed: int) -> dict[str, Any]:
    """Four rows: the first with two images, the others with none, one or two."""
    chosen = random.Random(seed)
    texts, images = [], []
    for row in range(4):
        count = 2 if row == 0 else chosen.choice([0, 1, 1, 2])
        tags = " red ball ".join([family.tag] * count)
        texts.append(f"please describe {tags} what is in this picture" + " it" * chosen.randrange(5))
        images.append([picture(chosen.choice(SIZES), chosen.randrange(1000)) for _ in range(count)])
    return dict(family.processor(images=images, text=texts, padding=True, return_tensors="pt"))


def seen(
    batches: Sequence[dict[str, Any]], words: Any = None, intent: Intent | None = None, code: Any = None
) -> PlaceholdersEvidence:
    """Return what batches say, with a tokenizer or without; `code` is what the user's collate holds."""
    declared = intent or Intent()
    known = adapted(words, "collate.tokenizer") if words is not None else None
    vocab: Vocabulary = vocabulary(declared, known)
    starts = [("collate", code)] if code is not None else []
    collector = PlaceholderCollector(declared, vocab, known_of(declared, known, vocab.pad, starts))
    for batch in batches:
        collector.take(batch, range(len(batch["input_ids"])), ())
    return collector.evidence()
