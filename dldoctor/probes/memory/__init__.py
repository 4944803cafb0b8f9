"""How memory, descriptors, threads and processes go while the loader runs over the same data again."""
