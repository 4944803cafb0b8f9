"""Which field is what: token ids, masks, labels, pixels, sound, boxes, ids."""

from __future__ import annotations

from dldoctor.roles.flatten import leaves
from dldoctor.roles.infer import infer
from dldoctor.roles.kinds import container_of
from dldoctor.roles.observer import RoleObserver, own_id_field
from dldoctor.roles.padding import Padding, padding_of

__all__ = ["Padding", "RoleObserver", "container_of", "infer", "leaves", "own_id_field", "padding_of"]
