"""What a book says: its sentences, its rules as prose, and the line drawn in plain text."""
