"""What values say of sound and of the fields that lie beside it."""

from __future__ import annotations

from dldoctor.roles.rows import one_step, rows_of
from dldoctor.roles.vote import Field, Rule, Vote

MIN_WAVE = 4000
"""A quarter of a second at 16 kHz; no other table of real numbers is usually as wide."""
MEL_BANDS = (40, 64, 80, 96, 128)
MIN_FRAMES = 100


def audio(field: Field) -> Vote | None:
    """Long rows of real numbers, or bands by frames."""
    leaf = field.leaf
    if leaf.form != "float" or not 1 <= len(leaf.shape) <= 4:
        return None
    longest = max((size[-1] for size in leaf.sizes if size), default=leaf.shape[-1])
    mono = len(leaf.shape) == 2 or (len(leaf.shape) == 3 and leaf.shape[1] in (1, 2))
    if mono and longest > MIN_WAVE:
        return Vote("audio", 0.8, f"rows of up to {longest} real numbers")
    if len(leaf.shape) == 3:
        bands, frames = leaf.shape[-2], longest
        if bands in MEL_BANDS and (frames >= MIN_FRAMES or frames == 0):
            return Vote("audio", 0.8, f"{bands} bands by {frames} frames")
        frames = max((size[0] for size in leaf.sizes if size), default=leaf.shape[-2])
        if leaf.shape[-1] in MEL_BANDS and frames >= MIN_FRAMES:
            return Vote("audio", 0.75, f"{frames} frames of {leaf.shape[-1]} bands")
    return None


def frame_mask(field: Field) -> Vote | None:
    """Flags for each frame of sound, off only at one end."""
    path, leaf, scene = field.path, field.leaf, field.scene
    if not leaf.binary or len(leaf.shape) != 2:
        return None
    for other, sound in scene.others(scene.sounds, path):
        fits = leaf.shape[0] == sound.shape[0] and leaf.shape[1] in sound.shape[1:]
        if fits and all(one_step(row) for row in rows_of(leaf)):
            sure = 0.9 if leaf.low == 0 and leaf.high == 1 else 0.6
            return Vote("attention_mask", sure, f"one flag for each frame of `{other}`, off only at the end")
    return None


def audio_lengths(field: Field) -> Vote | None:
    """One whole number a row, the largest of which is the length of the sound."""
    path, leaf, scene = field.path, field.leaf, field.scene
    if leaf.values is None or not leaf.integral or len(leaf.shape) != 1 or leaf.low < 1:
        return None
    for other, sound in scene.others(scene.sounds, path):
        if leaf.shape[0] != sound.shape[0]:
            continue
        listed = [size[-1] for size in sound.sizes if size]
        if listed and listed == leaf.table.tolist():
            return Vote("audio_lengths", 0.95, f"the lengths of `{other}`")
        if int(leaf.high) in sound.shape[1:] and leaf.high >= MIN_FRAMES:
            return Vote("audio_lengths", 0.9, f"at most {int(leaf.high)}, the length of `{other}`")
    return None


RULES: tuple[Rule, ...] = (audio, frame_mask, audio_lengths)
