"""What every format says, section by section, as clean text and numbers without a layout.

The terminal view and the page are both drawn from these rows, so that they cannot disagree.
Every string that stems from the user's data or code has passed `clean_text.clean`.
"""
