"""Which field of a batch is what: names as a prior, values as proof.

One rule is one function in `text`, `masks`, `documents`, `vision`, `boxes`, `audio` or `ids`; each gives a vote with the reason.
Votes of names and of values for one role combine as ``1 - (1 - name)(1 - value)``, and a strong
vote of values weakens all other roles, because names are wrong where it matters most
(``attention_mask`` holds cumulative lengths in two current trainers).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from dldoctor.errors import ConfigError, nearest
from dldoctor.finding import SampleId
from dldoctor.foreign import attribute
from dldoctor.intent import FIELD_ROLES, Inferred
from dldoctor.roles import audio, boxes, documents, ids, masks, text, vision
from dldoctor.roles.leaf import Leaf
from dldoctor.roles.names import name_votes
from dldoctor.roles.unknown import unknown_role
from dldoctor.roles.vote import STRONG, Field, Rule, Scene, Vote

RULES: tuple[Rule, ...] = (
    *text.RULES,
    *masks.RULES,
    *documents.RULES,
    *vision.RULES,
    *boxes.RULES,
    *audio.RULES,
    *ids.RULES,
)
"""Every rule that looks at values."""

DAMPING = 0.35
"""What remains of the other roles where a strong vote of values names one."""
NAMED = 0.6
"""A name this sure tells labels from token ids where both are texts."""
SENSES = ("audio", "pixel_values", "video")
"""What is read instead of a text."""
KNOWN_FROM = 0.4
"""What is less sure than a guess is not told."""

Digest = Mapping[str, Leaf]


def infer(digests: Sequence[Digest], sample_ids: Sequence[tuple[SampleId, ...]] = ()) -> dict[str, Inferred]:
    """Return the role of each field that is at least a guess, from a few batches of one loader.

    `sample_ids` has the ids behind the rows of each batch, where rows are samples.
    """
    scenes = [scene_of(digest, known) for digest, known in _paired(digests, sample_ids)]
    paths = dict.fromkeys(path for digest in digests for path in digest)
    found: dict[str, Inferred] = {}
    for path in paths:
        fields = [Field(path, scene.leaves[path], scene) for scene in scenes if path in scene.leaves]
        best = _decide(_name_votes(fields), _value_votes(fields))
        if best is not None and best.confidence >= KNOWN_FROM:
            found[path] = best
    return _answers_apart(found, scenes)


def _answers_apart(found: dict[str, Inferred], scenes: Sequence[Scene]) -> dict[str, Inferred]:
    """Labels that are a text of their own look like token ids; beside another text their name tells."""
    texts = [path for path, one in found.items() if one.role == "token_ids"]
    leaves = {path: leaf for scene in scenes for path, leaf in scene.leaves.items()}
    named = {
        path: vote
        for path in texts
        for vote in name_votes(path, leaves[path])
        if vote.role == "labels" and vote.strength >= NAMED
    }
    # Beside sound or pictures, a text that is called labels is the answer to them.
    seen = any(one.role in SENSES for one in found.values())
    if len(named) < len(texts) or seen:
        for path, vote in named.items():
            found[path] = Inferred("labels", found[path].confidence, f"{found[path].why}; {vote.why}")
    return found


def declare(
    inferred: Mapping[str, Inferred], declared: Mapping[str, str], known: Sequence[str]
) -> dict[str, Inferred]:
    """Return the roles with those that the user declared (role to path) in place of ours."""
    result = dict(inferred)
    for role, path in declared.items():
        if role not in FIELD_ROLES:
            raise ConfigError(unknown_role(role, path))
        match = path if path in known else next((p for p in known if p.replace("\\.", ".") == path), None)
        if match is None:
            raise ConfigError(f"no field `{path}` for `{role}`{nearest(path, list(known))}")
        # What was taken for this role by inference is not, now that the user has named it.
        for other, role_found in list(result.items()):
            if role_found.role == role and role_found.why != "declared":
                del result[other]
        result[match] = Inferred(role, 1.0, "declared")
    return result


def scene_of(digest: Digest, sample_ids: tuple[SampleId, ...] = ()) -> Scene:
    """Return the leaves of a batch with the candidates that relations refer to."""
    plain = Scene(digest, ids=sample_ids, order={path: place for place, path in enumerate(digest)})
    chosen = {
        "tokens": _candidates(plain, "token_ids", (text.token_ids,), 0.45),
        "pixels": _candidates(plain, "pixel_values", (vision.pixel_values,), 0.5),
        "sounds": _candidates(plain, "audio", (audio.audio,), 0.6),
    }
    scene = Scene(digest, ids=sample_ids, order=plain.order, **chosen)
    return Scene(
        digest,
        ids=sample_ids,
        order=plain.order,
        boxes=_candidates(scene, "boxes", (boxes.boxes,), 0.6),
        **chosen,
    )


def _candidates(scene: Scene, role: str, rules: Iterable[Rule], at_least: float) -> tuple[str, ...]:
    scores: dict[str, float] = {}
    for path, leaf in scene.leaves.items():
        field = Field(path, leaf, scene)
        named = max((vote.strength for vote in name_votes(path, leaf) if vote.role == role), default=0.0)
        votes = [vote for rule in rules if (vote := rule(field))]
        seen = max((vote.strength for vote in votes if vote.role == role), default=0.0)
        # A name alone makes a candidate only where it is plain: values must then fit it anyway.
        if seen or named >= 0.8:
            scores[path] = _combined(named, seen)
    chosen = [path for path, score in scores.items() if score >= at_least]
    return tuple(sorted(chosen, key=lambda path: -scores[path]))


def _paired(
    digests: Sequence[Digest], sample_ids: Sequence[tuple[SampleId, ...]]
) -> Iterable[tuple[Digest, tuple[SampleId, ...]]]:
    padded = [*sample_ids, *([()] * (len(digests) - len(sample_ids)))]
    return zip(digests, padded, strict=False)


def _name_votes(fields: Sequence[Field]) -> dict[str, Vote]:
    votes: dict[str, Vote] = {}
    for field in fields:
        for vote in name_votes(field.path, field.leaf):
            votes.setdefault(vote.role, vote)
    return votes


def _value_votes(fields: Sequence[Field]) -> dict[str, Vote]:
    """Return one vote a role, weakened where only some of the batches show it."""
    seen: dict[str, list[Vote]] = {}
    for field in fields:
        best: dict[str, Vote] = {}
        for rule in RULES:
            vote = rule(field)
            if vote and vote.strength > attribute(best.get(vote.role), "strength", 0.0):
                best[vote.role] = vote
        for role, vote in best.items():
            seen.setdefault(role, []).append(vote)
    votes: dict[str, Vote] = {}
    for role, cast in seen.items():
        top = max(cast, key=lambda vote: vote.strength)
        mean = sum(vote.strength for vote in cast) / len(fields)
        votes[role] = Vote(role, (top.strength + mean) / 2, top.why)
    return votes


def _decide(named: Mapping[str, Vote], seen: Mapping[str, Vote]) -> Inferred | None:
    strong = max(seen.values(), key=lambda vote: vote.strength, default=None)
    overrules = strong is not None and strong.strength >= STRONG
    best: Inferred | None = None
    for role in dict.fromkeys((*named, *seen)):
        sure = _combined(*(votes[role].strength if role in votes else 0.0 for votes in (named, seen)))
        if overrules and strong is not None and role != strong.role:
            sure *= DAMPING
        if best is None or sure > best.confidence:
            reasons = [votes[role].why for votes in (seen, named) if role in votes]
            best = Inferred(role, round(sure, 3), "; ".join(reasons))
    return best


def _combined(name: float, value: float) -> float:
    return 1 - (1 - name) * (1 - value)
