"""Where the rows of a batch come from: values that samples gave, found again after the collate."""
