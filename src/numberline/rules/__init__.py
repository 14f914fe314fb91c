"""What a book can decide, and how each decision plays."""
