"""Loops that lay out a field: its rows in order, what each is worth, and how likely each move is from there."""

from __future__ import annotations

from numberline.solver.index import Column

MAX_TURNS = 1 << 30
"""More turns than any game takes."""


def to_csr(after: Column, name: Column, begin: Column, to: Column, made: Column) -> None:
    """Enters what follows each row that has a name, under the names of the followers, and by which moves."""
    edge = 0
    place = 0
    for row in range(len(name)):
        if name[row] < 0:
            continue
        begin[place] = edge
        place += 1
        for move in range(len(after)):
            reached = after[move][row]
            if reached >= 0:
                to[edge] = name[reached]
                made[edge] = move
                edge += 1
    begin[place] = edge


def reverse_edges(begin: Column, to: Column, back: Column, before: Column) -> None:
    """Enters what comes before each row; `back` has two places more than there are rows, and is all 0."""
    for edge in range(len(to)):
        back[to[edge] + 2] += 1
    for row in range(1, len(back)):
        back[row] += back[row - 1]
    for row in range(len(begin) - 1):
        for edge in range(begin[row], begin[row + 1]):
            place = back[to[edge] + 1]
            before[place] = row
            back[to[edge] + 1] = place + 1


def topological_order(begin: Column, back: Column, before: Column, left: Column, order: Column) -> int:
    """Lists the rows from which play always ends, each after all that follow it, and says how many there are."""
    tail = 0
    for row in range(len(left)):
        left[row] = begin[row + 1] - begin[row]
        if left[row] == 0:
            order[tail] = row
            tail += 1
    head = 0
    while head < tail:
        row = order[head]
        head += 1
        for place in range(back[row], back[row + 1]):
            earlier = before[place]
            left[earlier] -= 1
            if left[earlier] == 0:
                order[tail] = earlier
                tail += 1
    return tail


def reorder(
    order: Column, name: Column, begin: Column, to: Column, made: Column, ordered: Column, goes: Column, by: Column
) -> None:
    """The same rows in another order: `order` lists the old numbers, `name` has the new number of each."""
    edge = 0
    for place in range(len(order)):
        ordered[place] = edge
        row = order[place]
        for old in range(begin[row], begin[row + 1]):
            goes[edge] = name[to[old]]
            by[edge] = made[old]
            edge += 1
    ordered[len(order)] = edge


def analyze_decisions(
    begin: Column, to: Column, mover: Column, value: Column, decides: Column, good: Column, needed: Column
) -> None:
    """For each row: whether a move can give value away, the share of those that don't, and the sight it takes."""
    for row in range(len(mover)):
        wins, nobody, losses, quickest, latest = 0, 0, 0, MAX_TURNS, 0
        for edge in range(begin[row], begin[row + 1]):
            worth = value[to[edge]] if mover[row] == 1 else -value[to[edge]]
            if worth > 0:
                wins += 1
                quickest = min(quickest, worth)
            elif worth == 0:
                nobody += 1
            else:
                losses += 1
                latest = max(latest, -worth)
        kept = wins or (nobody or losses)
        moves = wins + nobody + losses
        decides[row] = 1 if kept < moves else 0
        good[row] = kept / moves if moves else 0.0
        if kept == moves:
            needed[row] = 0
        elif not wins:
            needed[row] = latest
        else:
            needed[row] = quickest if nobody else min(quickest, latest)


def rank_at_depth(worth: int, turns: int) -> int:
    """How good a move looks to somebody who sees so many turns ahead: a quick win first, a quick loss last."""
    if 0 < worth <= turns:
        return MAX_TURNS - worth
    if -turns <= worth < 0:
        return -MAX_TURNS - worth
    return 0


def fill_move_probabilities(
    begin: Column, to: Column, mover: Column, value: Column, player: int, turns: int, slips: float, chance: Column
) -> None:
    """Enters the odds of a skill for the moves of one player (0: of both)."""
    for row in range(len(mover)):
        if player > 0 and player != mover[row]:
            continue
        first, last = begin[row], begin[row + 1]
        side = 1 if mover[row] == 1 else -1
        best, count = -2 * MAX_TURNS, 0
        for edge in range(first, last):
            looks = rank_at_depth(side * value[to[edge]], turns)
            if looks > best:
                best, count = looks, 1
            elif looks == best:
                count += 1
        for edge in range(first, last):
            share = slips / (last - first)
            is_best = rank_at_depth(side * value[to[edge]], turns) == best
            chance[edge] = share + (1.0 - slips) / count if is_best else share
