"""Reports as files: HTML pages, SVG charts and printable sheets."""
