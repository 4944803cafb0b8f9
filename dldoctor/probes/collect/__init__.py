"""Sums up, in the consumer and in bounded memory, what the records and batches say."""
