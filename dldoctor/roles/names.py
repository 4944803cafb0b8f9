"""What a name says of a field: a prior, which values confirm or overrule."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dldoctor.roles.leaf import Leaf
from dldoctor.roles.vote import Vote

# Role, how often the name means it, and the names; a name also counts behind a prefix
# (`anchor_input_ids`) and in the plural. Several roles may share a name.
_NAMES: tuple[tuple[str, float, str], ...] = (
    ("token_ids", 0.92, "input_ids token_ids"),
    ("token_ids", 0.8, "tokens encoder_ids decoder_ids tok_ids text_ids"),
    ("token_ids", 0.5, "ids token text caption txt prompt query input inputs inp src"),
    ("attention_mask", 0.92, "attention_mask"),
    ("attention_mask", 0.85, "attn_mask padding_mask pad_mask key_padding_mask input_mask attention_bias"),
    ("attention_mask", 0.5, "mask masks"),
    ("labels", 0.85, "lm_labels target_ids label_tokens target_tokens shift_labels"),
    ("labels", 0.6, "labels"),
    ("labels", 0.5, "label_ids targets target tgt label y"),
    ("loss_mask", 0.85, "loss_mask loss_weight loss_scale label_mask completion_mask assistant_mask response_mask"),
    ("loss_mask", 0.85, "target_mask prompt_mask token_weights"),
    ("position_ids", 0.9, "position_ids"),
    ("position_ids", 0.8, "position_id pos_ids input_pos position positions mrope_positions"),
    ("segment_ids", 0.85, "segment_ids seq_idx doc_ids document_ids sequence_ids seq_ids segments document_id"),
    ("document_lengths", 0.9, "cu_seqlens cu_seqlen cu_seq_lens cu_seq_lens_q cu_seq_lens_k cu_seqlens_q cu_seqlens_k"),
    ("document_lengths", 0.85, "seq_lens seqlens doc_lens doc_lengths document_lengths sequence_lengths seq_lengths"),
    ("document_lengths", 0.5, "lengths lens length seq_len"),
    ("prompt_length", 0.9, "prompt_length prompt_lengths prompt_len prompt_lens num_prompt_tokens source_len"),
    ("pixel_values", 0.92, "pixel_values"),
    ("pixel_values", 0.8, "image images img imgs jpg jpeg png webp pixels picture photo frame frames pil"),
    ("pixel_values", 0.4, "inputs input x data"),
    ("pixel_mask", 0.9, "pixel_mask pixel_attention_mask image_attention_mask patch_mask patch_valid"),
    ("pixel_mask", 0.7, "image_mask"),
    ("image_grid", 0.9, "image_grid_thw grid_thw video_grid_thw image_grid spatial_shapes grid_hw"),
    ("image_sizes", 0.85, "image_sizes image_size original_size original_sizes orig_size ori_shape img_size"),
    ("image_sizes", 0.7, "resized_shape target_size target_sizes size sizes"),
    ("image_counts", 0.85, "batch_num_images num_images image_counts image_count images_per_sample num_tiles"),
    ("audio", 0.85, "audio input_features input_values waveform waveforms wav wavs speech audio_values mel"),
    ("audio", 0.8, "spectrogram mel_spectrogram log_mel fbank flac mp3 audios sound"),
    ("audio", 0.4, "inputs signal x"),
    ("audio_lengths", 0.88, "audio_lengths audio_length audio_lens wav_lens wav_lengths waveform_lengths"),
    ("audio_lengths", 0.7, "input_lengths feature_lengths num_frames n_frames num_samples input_lens feat_lens"),
    ("audio_lengths", 0.45, "lengths lens length"),
    ("video", 0.85, "video videos pixel_values_videos mp4 video_frames clip_frames"),
    ("boxes", 0.88, "boxes bboxes bbox box gt_boxes"),
    ("box_row", 0.88, "batch_idx box_row box_batch batch_index"),
    ("class_label", 0.8, "class class_id class_ids class_labels class_label cls category category_id category_ids"),
    ("class_label", 0.7, "class_idx class_index label_id label label_idx category_name gt_classes"),
    ("class_label", 0.5, "labels target targets y label_ids"),
    ("segmentation_mask", 0.85, "segmentation segmentation_mask seg seg_map seg_mask semantic_mask mask_labels seg_labels"),
    ("segmentation_mask", 0.5, "mask masks annotation labels label target"),
    ("keypoints", 0.85, "keypoints landmarks kpts keypoint"),
    ("text", 0.8, "text texts caption captions txt sentence sentences transcript transcription"),
    ("text", 0.6, "prompt question answer content utterance completion instruction response title description document"),
    ("timestamps", 0.75, "timestamps timestamp start_time end_time times time second_per_grid_ts start_s end_s"),
    ("sample_id", 0.92, "sample_id __key__"),
    ("sample_id", 0.85, "uid uuid guid image_id example_id item_id img_id utt_id utterance_id file_id"),
    ("sample_id", 0.75, "id key file_name filename file_path filepath im_file img_path image_path audio_path path"),
    ("sample_id", 0.6, "idx index file name image_file"),
    ("group", 0.7, "group group_id speaker speaker_id user_id subject_id patient_id session_id domain source"),
    ("meta", 0.75, "meta metadata info __url__ __local_path__ __sources__ __subflavors__ __restore_key__ url"),
    ("meta", 0.8, "token_type_ids mm_token_type_ids max_seqlen max_length max_length_q max_length_k image_flags"),
)  # fmt: skip

SURE_BEHIND_PREFIX = 0.7
"""Names of two words or more that are this sure also count behind a prefix."""


def _by_name() -> dict[str, dict[str, float]]:
    meant: dict[str, dict[str, float]] = {}
    for role, strength, names in _NAMES:
        for name in names.split():
            roles = meant.setdefault(name, {})
            roles[role] = max(roles.get(role, 0.0), strength)
    return meant


_MEANT = _by_name()
NUMBERS = frozenset({"int", "bool", "float"})
_FORMS: dict[str, frozenset[str]] = {
    "token_ids": frozenset({"int"}),
    "attention_mask": NUMBERS,
    "labels": NUMBERS,
    "loss_mask": NUMBERS,
    "position_ids": frozenset({"int"}),
    "segment_ids": frozenset({"int"}),
    "document_lengths": frozenset({"int"}),
    "prompt_length": frozenset({"int"}),
    "pixel_values": frozenset({"int", "float", "image"}),
    "pixel_mask": NUMBERS,
    "image_grid": frozenset({"int"}),
    "image_sizes": frozenset({"int", "float"}),
    "image_counts": frozenset({"int"}),
    "audio": frozenset({"int", "float"}),
    "audio_lengths": frozenset({"int", "float"}),
    "video": frozenset({"int", "float"}),
    "boxes": frozenset({"int", "float"}),
    "box_row": frozenset({"int", "float"}),
    "class_label": NUMBERS | {"text"},
    "segmentation_mask": NUMBERS | {"image"},
    "keypoints": frozenset({"int", "float"}),
    "text": frozenset({"text"}),
    "timestamps": frozenset({"int", "float", "text"}),
    "sample_id": frozenset({"int", "text"}),
    "group": frozenset({"int", "text"}),
}
# Fewest and most axes of a batch; a field of other form cannot have the role, whatever its name.
_AXES: dict[str, tuple[int, int]] = {
    "token_ids": (1, 3),
    "attention_mask": (1, 4),
    "pixel_values": (2, 6),
    "video": (4, 6),
    "audio": (1, 4),
    "class_label": (0, 2),
    "sample_id": (0, 1),
    "group": (0, 1),
    "prompt_length": (0, 1),
    "audio_lengths": (0, 1),
    "segmentation_mask": (2, 5),
    "boxes": (1, 3),
    "image_sizes": (1, 2),
    "image_counts": (0, 1),
}


def name_of(path: str) -> str:
    """Return the last step of a path that is a word, in lower snake case."""
    steps = [step for step in re.split(r"(?<!\\)\.", path) if not step.isdigit()]
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", steps[-1] if steps else "").lower()


def meant_by(name: str) -> list[str]:
    """Return the roles that fields of this name have, likeliest first."""
    found = _MEANT.get(name) or _MEANT.get(name.removesuffix("s")) or {}
    return sorted(found, key=lambda role: -found[role])


def name_votes(path: str, leaf: Leaf) -> Iterator[Vote]:
    """Yield what the name of a field says, for each role that its form allows."""
    name = name_of(path)
    if not name or leaf.form in ("none", "object"):
        if "meta" in _MEANT.get(name, {}):
            yield Vote("meta", 0.75, f"is called `{name}`")
        return
    found = dict(_MEANT.get(name) or _MEANT.get(name.removesuffix("s")) or {})
    steps = name.split("_")
    for start in range(1, len(steps) - 1):
        for role, strength in _MEANT.get("_".join(steps[start:]), {}).items():
            if strength >= SURE_BEHIND_PREFIX:
                found[role] = max(found.get(role, 0.0), strength - 0.04)
    for role, strength in found.items():
        if allows(role, leaf):
            yield Vote(role, strength, f"is called `{name}`")


def allows(role: str, leaf: Leaf) -> bool:
    """Whether a field of this form can have the role at all."""
    fewest, most = _AXES.get(role, (0, 9))
    if role == "segmentation_mask" and leaf.form == "image":
        return True
    axes = len(leaf.shape)
    if leaf.form == "image":
        return role == "pixel_values"
    return leaf.form in _FORMS.get(role, NUMBERS | {"text"}) and fewest <= axes <= most
