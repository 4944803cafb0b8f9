"""The photographs and the crops, with a caption for each, that `make_data.py` turns into JPEG files.

A crop is (x0, y0, x1, y1) in shares of the photograph. No caption speaks of left or right, since the
pipeline flips images at random.
"""

from __future__ import annotations

Crop = tuple[tuple[float, float, float, float], str]

CROPS: dict[str, list[Crop]] = {
    "astronaut": [
        ((0.00, 0.00, 1.00, 1.00), "an astronaut in an orange suit smiles in front of a flag"),
        ((0.28, 0.00, 0.66, 0.38), "a smiling woman with short curly hair looks into the camera"),
        ((0.45, 0.60, 1.00, 1.00), "a black helmet with a white rim and a dark visor"),
        ((0.62, 0.00, 1.00, 0.58), "a model of a space shuttle on its rocket boosters"),
        ((0.00, 0.00, 0.30, 0.70), "the folds of an american flag with red and white stripes"),
        ((0.15, 0.50, 0.60, 0.95), "a round blue patch sewn on the chest of a suit"),
        ((0.20, 0.00, 1.00, 0.60), "a portrait of a woman with a space shuttle behind her"),
        ((0.10, 0.25, 0.70, 1.00), "the orange suit has a metal neck ring and many pockets"),
        ((0.55, 0.15, 1.00, 1.00), "a dark helmet stands below a white model rocket"),
    ],
    "chelsea": [
        ((0.00, 0.00, 1.00, 1.00), "a tabby cat with green eyes looks past the camera"),
        ((0.25, 0.15, 0.80, 0.60), "a close view of the two green eyes of a cat"),
        ((0.45, 0.45, 0.85, 1.00), "the pink nose and the long white whiskers of a cat"),
        ((0.05, 0.00, 0.60, 0.50), "the ear and the striped forehead of a tabby cat"),
        ((0.28, 0.20, 0.55, 0.60), "one round green eye with a narrow black pupil"),
        ((0.10, 0.00, 0.90, 0.90), "a brown cat with dark stripes rests on a soft blanket"),
        ((0.00, 0.30, 0.50, 1.00), "light brown fur on the cheek and the shoulder of a cat"),
        ((0.50, 0.05, 1.00, 0.75), "half of the face of a cat in soft daylight"),
    ],
    "coffee": [
        ((0.00, 0.00, 1.00, 1.00), "a cup of espresso on a red saucer on a wooden table"),
        ((0.25, 0.00, 0.75, 0.50), "an espresso with a thin layer of light brown foam"),
        ((0.45, 0.40, 0.85, 0.95), "a small metal spoon lies on the edge of a red saucer"),
        ((0.10, 0.10, 0.80, 1.00), "a red and white cup seen from above with its saucer"),
        ((0.70, 0.00, 1.00, 0.60), "the grain of an old wooden table in warm light"),
        ((0.28, 0.35, 0.60, 0.85), "the handle of a red coffee cup in front of its saucer"),
        ((0.00, 0.20, 0.65, 1.00), "a cup and a red saucer near the corner of a table"),
        ((0.15, 0.00, 1.00, 0.85), "a fresh cup of coffee is ready to be drunk"),
    ],
    "rocket": [
        ((0.00, 0.00, 1.00, 1.00), "a white rocket stands on the launch pad before sunrise"),
        ((0.40, 0.20, 0.65, 1.00), "a slim white rocket lit by bright lamps at night"),
        ((0.00, 0.00, 0.40, 1.00), "a steel lightning tower rises into a dark blue sky"),
        ((0.30, 0.55, 0.80, 1.00), "bright yellow lamps shine around the foot of a rocket"),
        ((0.55, 0.20, 1.00, 1.00), "tall towers stand against the evening sky over a launch site"),
        ((0.20, 0.10, 0.80, 0.90), "a rocket waits between tall masts under a deep blue sky"),
        ((0.00, 0.50, 0.55, 1.00), "lamps glow on the ground below the towers at dusk"),
        ((0.10, 0.30, 0.95, 1.00), "a launch site at night with a rocket in the middle"),
    ],
    "china": [
        ((0.00, 0.00, 1.00, 1.00), "a chinese pavilion above a lake on a hazy day"),
        ((0.12, 0.03, 0.62, 0.55), "the upper roofs of a pagoda with green and orange tiles"),
        ((0.10, 0.45, 0.65, 1.00), "red columns carry the lower floors of an old temple"),
        ((0.50, 0.40, 1.00, 0.95), "a wide grey lake with a long island behind dark trees"),
        ((0.12, 0.00, 0.66, 0.95), "a tall pagoda with four curved roofs rises over the trees"),
        ((0.55, 0.55, 1.00, 1.00), "dense green trees grow on the slope above the water"),
        ((0.20, 0.28, 0.60, 0.75), "painted wooden railings between the floors of a pagoda"),
        ((0.30, 0.00, 1.00, 0.80), "the roofs of a temple and a pale sky over the lake"),
        ((0.00, 0.40, 0.50, 1.00), "bushes and a lamp in front of a red and green building"),
    ],
    "flower": [
        ((0.00, 0.00, 1.00, 1.00), "an orange dahlia in front of dark green leaves"),
        ((0.30, 0.12, 0.82, 0.88), "a round flower with many neat rows of orange petals"),
        ((0.40, 0.30, 0.70, 0.72), "the dark red centre of a dahlia in full bloom"),
        ((0.35, 0.55, 0.95, 1.00), "a second flower opens below a large orange blossom"),
        ((0.25, 0.00, 1.00, 0.75), "a single orange blossom glows before a blurred green hedge"),
        ((0.55, 0.15, 0.90, 0.80), "the outer petals of a dahlia are pale at the tips"),
        ((0.05, 0.10, 0.65, 0.90), "an orange flower stands out against deep blue shadows"),
    ],
    "camera": [
        ((0.00, 0.00, 1.00, 1.00), "a man in a dark coat looks through a camera on a tripod"),
        ((0.25, 0.08, 0.75, 0.50), "a photographer bends down to the viewfinder of his camera"),
        ((0.45, 0.25, 0.80, 1.00), "an old film camera on a wooden tripod in the grass"),
        ((0.50, 0.20, 1.00, 0.60), "a tower and low buildings far behind a wide lawn"),
        ((0.00, 0.10, 0.60, 0.90), "a man with dark hair and gloves in a long coat"),
        ((0.20, 0.00, 0.90, 0.75), "a black and white picture of a man at work with a camera"),
    ],
    "coins": [
        ((0.00, 0.00, 1.00, 1.00), "four rows of ancient coins on a dark cloth"),
        ((0.00, 0.00, 0.55, 0.55), "old silver coins with worn portraits in two rows"),
        ((0.45, 0.40, 1.00, 1.00), "worn coins of several sizes from an old collection"),
        ((0.55, 0.00, 1.00, 0.50), "a large coin with a figure on it beside smaller ones"),
        ((0.00, 0.45, 0.60, 1.00), "greek coins in a museum tray seen from above"),
    ],
    "moon": [
        ((0.00, 0.00, 1.00, 1.00), "the grey surface of the moon with small craters"),
        ((0.05, 0.05, 0.60, 0.50), "a bright round crater with a sharp rim on the moon"),
        ((0.30, 0.55, 0.85, 1.00), "dark hills throw long shadows on the surface of the moon"),
        ((0.45, 0.05, 0.95, 0.55), "two craters side by side on a smooth grey plain"),
    ],
    "hubble_deep_field": [
        ((0.00, 0.00, 0.60, 0.60), "hundreds of distant galaxies in a black sky"),
        ((0.50, 0.30, 1.00, 0.80), "bright yellow and blue galaxies seen by a space telescope"),
        ((0.20, 0.50, 0.70, 1.00), "a deep field of faint stars and small spiral galaxies"),
        ((0.00, 0.20, 0.35, 0.60), "a white galaxy shines among many fainter red ones"),
        ((0.60, 0.00, 1.00, 0.45), "tiny points of light are scattered over a dark sky"),
    ],
    "retina": [
        ((0.00, 0.00, 1.00, 1.00), "a photograph of the inside of a human eye"),
        ((0.05, 0.25, 0.50, 0.75), "the bright optic disc where the blood vessels meet"),
        ((0.30, 0.30, 0.75, 0.75), "the dark spot in the middle of a red retina"),
        ((0.15, 0.05, 0.75, 0.50), "fine red blood vessels branch across the retina"),
        ((0.20, 0.50, 0.80, 0.95), "thin vessels bend around the centre of the eye"),
    ],
    "gravel": [
        ((0.00, 0.00, 0.60, 0.60), "a layer of sharp grey gravel in flat light"),
        ((0.50, 0.40, 1.00, 1.00), "many small broken stones lie close together on a path"),
    ],
    "grass": [
        ((0.00, 0.20, 0.70, 0.90), "dry blades of grass and a few leaves on the ground"),
        ((0.40, 0.00, 1.00, 0.60), "a lawn with short grass seen straight from above"),
    ],
    "brick": [
        ((0.00, 0.00, 0.70, 0.70), "a wall of long grey bricks with light joints"),
        ((0.30, 0.30, 1.00, 1.00), "narrow bricks set upright in a grey wall"),
    ],
}
