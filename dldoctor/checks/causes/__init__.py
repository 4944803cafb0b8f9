"""What several checks would otherwise each guess: a cause is classified once, for all of them."""
