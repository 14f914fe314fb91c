"""Whose turn it is: the players in order, without those who are out."""

from __future__ import annotations

from numberline.rules.arithmetic import Number, Truth, no, where


def is_out(out: Number, player: int) -> Truth:
    """Whether this player is out."""
    return (out >> (player - 1)) & 1 == 1


def with_out(out: Number, player: int, *, goes: Truth = True) -> Number:
    """Who is out once this player goes too (where `goes` holds)."""
    return where(goes, out | (1 << (player - 1)), out)


def still_in(out: Number, players: int) -> Number:
    """How many are still in."""
    return players - sum((out >> n) & 1 for n in range(players))


def next_in(turn: int, out: Number, players: int) -> Number:
    """The next player after this one who is still in."""
    if players == 2:
        return 3 - turn
    return _nearest_in([(turn - 1 + k) % players + 1 for k in range(1, players + 1)], out)


def just_moved(turn: int, out: Number, players: int) -> Number:
    """The last player before this one who is still in: who brought the position about, unless that one is out."""
    if players == 2:
        return 3 - turn
    return _nearest_in([(turn - 1 - k) % players + 1 for k in range(1, players + 1)], out)


def _nearest_in(order: list[int], out: Number) -> Number:
    found: Number = order[-1]
    for player in reversed(order):
        found = where(no(is_out(out, player)), player, found)
    return found
