"""Asks a scorer of the user's how well images and texts fit, and how well they fit the texts of others."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any

from dldoctor.child.session import Session
from dldoctor.errors import TargetError
from dldoctor.evidence.scores import ScoredPair, ScoreEvidence
from dldoctor.intent import Inferred
from dldoctor.probes.alignment.items import items
from dldoctor.probes.alignment.pictures import paths_of, picture_of
from dldoctor.probes.behaviour.apart import ApartDiedError, apart
from dldoctor.probes.frames import one_line
from dldoctor.roles.flatten import leaves
from dldoctor.targets import Pipeline
from dldoctor.targets.named_object import find_object

PAIRS = 64
BATCH = 8
MOVES = (1, 2, 3)
"""By so many places texts are moved to be those of others."""
WORST = 20
TEXT = 80

Scorer = Callable[[list[Any], list[str]], Any]


def scores(pipeline: Pipeline, session: Session, roles: Mapping[str, Inferred]) -> Any:
    """Return a `ScoreEvidence` as plain data; null where no scorer is declared."""
    if session.intent.scorer is None or pipeline.dataset is None:
        return None
    try:
        return apart(session, lambda: _scored(pipeline, session, roles))
    except ApartDiedError as died:
        return ScoreEvidence(0, failed=f"the process of the scorer ended with {died}")


def _scored(pipeline: Pipeline, session: Session, roles: Mapping[str, Inferred]) -> ScoreEvidence:
    ids, images, texts = [], [], []
    paths: tuple[str, str] | None = None
    for item in items(pipeline, session, most=PAIRS):
        held = dict(leaves(item.sample))
        picture = picture_of(roles, held)
        written = [path for path in _texts(roles, held) if isinstance(held[path], str)]
        if picture is not None and written:
            paths = paths or (picture[0], written[0])
            ids.append(item.id)
            images.append(held[picture[0]])
            texts.append(held[written[0]])
    if paths is None:
        return ScoreEvidence(0, failed="no sample has one image and a text")
    try:
        scorer = _scorer(session)
        own = _asked(scorer, images, texts, session)
        moves = [move % len(texts) for move in MOVES if move < len(texts)]
        foreign = [_asked(scorer, images, [*texts[move:], *texts[:move]], session) for move in moves]
    except TargetError as error:
        return ScoreEvidence(0, failed=str(error))
    except Exception as error:  # noqa: BLE001 - the user's scorer
        return ScoreEvidence(0, failed=f"the scorer raised {one_line(error)}")
    if not foreign:
        return ScoreEvidence(len(ids), failed="one pair alone says nothing")
    pairs = [
        ScoredPair(sample, score, median(others), texts[place][:TEXT])
        for place, (sample, score, *others) in enumerate(zip(ids, own, *foreign, strict=True))
    ]
    pairs.sort(key=lambda one: one.score - one.others)
    return ScoreEvidence(
        pairs=len(pairs),
        unrelated=sum(one.score <= one.others for one in pairs),
        worst=tuple(pairs[:WORST]),
        median=median(own),
        image=paths[0],
        text=paths[1],
    )


def _texts(roles: Mapping[str, Inferred], held: Mapping[str, Any]) -> list[str]:
    return paths_of("text", roles, held) or [path for path, leaf in held.items() if isinstance(leaf, str)]


def _scorer(session: Session) -> Scorer:
    spec = session.intent.scorer
    assert spec is not None
    found: Any = find_object(spec, option="--scorer", allow_script=session.request.target.allow_script)
    try:
        needed = [one for one in inspect.signature(found).parameters.values() if one.default is one.empty]
    except (TypeError, ValueError):
        return found  # type: ignore[no-any-return]  # compiled code that says nothing of its arguments
    return found() if not needed else found  # type: ignore[no-any-return]


def _asked(scorer: Scorer, images: Sequence[Any], texts: Sequence[str], session: Session) -> list[float]:
    found: list[float] = []
    for at in range(0, len(images), BATCH):
        session.note("score", at)
        part = scorer(list(images[at : at + BATCH]), list(texts[at : at + BATCH]))
        found += [float(one) for one in part]
    if len(found) != len(images):
        raise ValueError(f"{len(found)} numbers for {len(images)} pairs")
    return found
