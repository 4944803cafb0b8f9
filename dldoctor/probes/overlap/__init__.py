"""Which items of one loader another one has too; both are made in one process, as by a training script."""
