"""From text to a book: files, variants, settings, and what makes sense."""
