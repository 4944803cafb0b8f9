"""What the machine offers, measured from the outside: no torch, no user code, nothing written."""
