"""The keys of a config file, each with the field that it sets."""

from __future__ import annotations

from dldoctor.intent import Intent, LoaderOptions

LIMIT_KEYS = {
    "batches": "batches", "samples": "samples", "ids": "ids", "epochs": "epochs", "time-budget": "time_budget_s", "seed": "seed",
    "timeout": "timeout_s", "memory-limit": "memory_limit_bytes", "shm-bytes": "shm_bytes", "ranks": "ranks",
}  # fmt: skip
"""Option names of `Limits`, which says the units in its own."""
INTENT_KEYS = {
    key.replace("_", "-"): key for key in Intent.__dataclass_fields__ if key not in ("fields", "budgets")
}
LOADER_KEYS = {key.replace("_", "-"): key for key in LoaderOptions.__dataclass_fields__}
RUN_KEYS = {"select": "select", "ignore": "ignore", "fail-on": "fail_on", "python": "python"}
SHARED_KEYS = (*INTENT_KEYS, *LIMIT_KEYS, *LOADER_KEYS, *RUN_KEYS, "fields", "budgets", "rules")
TARGET_KEYS = ("target", "kwargs", "loader", "allow-script", *SHARED_KEYS)
