"""The exact answer for every position of a book."""
