"""HOW it is measured: the only code that runs the user's loader, one probe a file.

Everything here runs in the child process, inside the user's own environment, and needs only the
standard library and torch (and numpy where torch has it).
"""
