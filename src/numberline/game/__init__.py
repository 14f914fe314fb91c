"""Rules, positions, moves and the engine; books, settings and variants; matches and notation."""
