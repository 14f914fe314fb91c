"""Pages, pictures and sheets, as files."""
