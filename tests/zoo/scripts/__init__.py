"""Files as users write them, which do things when they are imported."""
