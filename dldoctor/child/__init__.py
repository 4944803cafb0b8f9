"""The process that runs the user's code: how it is started, watched and ended.

::

    command line ──start──▶ holder (imports torch and the target, never iterates it)
         ▲                    │ fork, one at a time
         │ events (JSON       ▼
         │ lines), board    probe process ──▶ its DataLoader workers
         └────────────────────┘

`holder` and `board` run on the user's side and need only the standard library; `supervise`,
`stacks`, `processes` and `staging` run on ours.
"""
