"""How a database of an older Numberline gets the tables of today, step by step."""
