"""From a handful of measured runs to the whole surface: plan, fit, simulate, choose.

::

    profile, probe runs ──fit──▶ Model ──predict──▶ Surface ──choose──▶ Choice ──▶ runs that verify it

Nothing here runs a loader or reads a clock: every function is a pure function of what was measured,
so that it can be tested against service times made by hand.
"""
