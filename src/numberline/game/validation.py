"""Validation of setting combinations, which rejects variants that are not valid games.

A rule is rejected if it can't have any effect in the book, no matter which numbers the settings have. To find out
whether it has an effect with the given numbers, use `numberline check`, which explores the positions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations, product
from typing import Any, NoReturn

from numberline.errors import BookError
from numberline.game.book_file import BookTemplate, PlaceRef, per_player
from numberline.game.engine import Engine
from numberline.game.legality import MEETING, OVERSHOOT, player_bounds
from numberline.game.messages import player_name
from numberline.game.moves import forward_directions
from numberline.game.rules import Rules
from numberline.game.settings import RULE_DEFAULTS, RULE_TYPES, setting_type
from numberline.text import join_or


def build_engine(template: BookTemplate, changes: Mapping[str, Any]) -> Engine:
    """Return the engine of a book or variant; raise `BookError` if its settings don't form a valid game."""
    chosen = {**template.defaults, **changes}
    rules = template.rules(chosen)
    _validate_places(template, chosen, rules)
    _validate_numbers(template, rules)
    given = changes or {
        name: value for name, value in chosen.items() if name in RULE_TYPES and value != RULE_DEFAULTS[name]
    }
    _validate_rules(template, given, rules)
    engine = Engine(rules)
    _validate_first_moves(template, given, engine)
    return engine


def _validate_places(template: BookTemplate, chosen: Mapping[str, Any], rules: Rules) -> None:
    """Reject an empty line, starts and goals that are off the line, and starts that are also goals."""
    low, high = rules.line
    if high <= low:
        _reject(template.line[1], "line", high, f"the line starts at {low}; expected {low + 1} or more")
    for rule, given_places in (("start", template.start), ("goal", template.goal)):
        if isinstance(given_places, tuple) and len(given_places) != rules.players:
            count = len(given_places)
            reason = f"{template.title} has a {rule} for each of {count} players; expected {count}"
            raise BookError(f"players={rules.players}: {reason}")
    starts = list(zip(per_player(template.start, rules.players), rules.starts, strict=True))
    goals = list(zip(per_player(template.goal, rules.players), rules.goals, strict=True))
    for rule, ref, place in [("start", *start) for start in starts] + [("goal", ref, goal[0]) for ref, goal in goals]:
        if not low <= place <= high:
            _reject(ref, rule, place, f"expected a place on the line from {low} to {high}")
    pairs = product(starts, goals) if rules.shared else zip(starts, goals, strict=True)
    for (start_ref, start), (goal_ref, goal) in pairs:
        if start in goal:
            _reject_start_on_goal(template, chosen, rules, (start_ref, goal_ref, start))


def _reject_start_on_goal(
    template: BookTemplate, chosen: Mapping[str, Any], rules: Rules, clash: tuple[PlaceRef, PlaceRef, int]
) -> NoReturn:
    """Reject a start that is a goal; the error names the line if it is too short, otherwise the start or the goal."""
    start_ref, goal_ref, at = clash
    low, high = rules.line
    own_words = template.defaults.keys() - RULE_TYPES.keys() - set(template.line)
    ref, rule, reason, taken = goal_ref, "goal", "a token starts there", set(rules.starts)
    if goal_ref == "either end" or (start_ref in own_words and goal_ref not in own_words):
        ref, rule, reason = start_ref, "start", "that is a goal"
        taken = {place for goal in rules.goals for place in goal}
    middle_on_an_end = high - low == 1 and "middle" in {chosen.get(str(ref), ref) for ref in (start_ref, goal_ref)}
    if middle_on_an_end or high - low < len(taken):
        wanted = low + max(2, len(taken))
        _reject(template.line[1], "line", high, f"the line is too short for start and goal; expected {wanted} or more")
    _reject(ref, rule, at, f"{reason}; expected {_others(rules, taken)}")


def _others(rules: Rules, taken: set[int]) -> str:
    """Describe the places on the line that are not in `taken`."""
    low, high = rules.line
    while low in taken:
        low += 1
    while high in taken:
        high -= 1
    between = ", ".join(str(place) for place in sorted(taken) if low < place < high)
    if low == high:
        return str(low)
    return f"a place from {low} to {high}" + (f" other than {between}" if between else "")


def _reject(ref: PlaceRef, rule: str, value: int, reason: str) -> NoReturn:
    """Raise `BookError` for a place, naming the setting that defines it or, if there is none, the rule."""
    name = ref if isinstance(ref, str) and ref not in ("middle", "either end") else rule
    raise BookError(f"{f'{value} in rules.line' if name == 'line' else f'{name}={value}'}: {reason}")


def _validate_numbers(template: BookTemplate, rules: Rules) -> None:
    """Reject rules in which every step is too long, or in which no operation leads towards the goal."""
    if rules.moves == "operations":
        _validate_operations(template, rules)
        return
    furthest = max(abs(goal - start) for start, goals in zip(rules.starts, rules.goals, strict=True) for goal in goals)
    if not OVERSHOOT[rules.overshoot].legal and not rules.reverse and rules.steps[0] > furthest:
        reason = f"no move would ever be legal, since the distance to the goal is {furthest}"
        raise BookError(f"{_written('steps', rules.steps)}: {reason}; include a step of {furthest} or less")


def _validate_operations(template: BookTemplate, rules: Rules) -> None:
    """Reject operations on a line that starts below 1, and sets of operations in which none leads towards a goal."""
    low, forward = rules.line[0], forward_directions(rules)[1:]
    if low < 1:
        _reject(template.line[0], "line", low, "operations need positive numbers; expected 1 or more")
    if not any((side > 0) == operation.increases for side in forward for operation in rules.operations):
        example = "+1 or *2" if forward[0] > 0 else "-1 or /2"
        reason = f"none of them leads towards the goal; include one such as {example}"
        raise BookError(f"{_written('operations', rules.operations)}: {reason}")


def _validate_rules(template: BookTemplate, given: Mapping[str, Any], rules: Rules) -> None:
    """Reject rules that can never have any effect in this book."""
    for name, value in given.items():
        for is_pointless, reason in _POINTLESS.get(name, ()):
            if is_pointless(rules):
                raise BookError(f"{_written(name, value)}: {reason.format(title=template.title)}")


def _validate_first_moves(template: BookTemplate, given: Mapping[str, Any], engine: Engine) -> None:
    """Reject games in which a player who moves first would have no legal move and lose at once."""
    players = range(1, engine.rules.players + 1)
    if lost := [player_name(template.voice, player) for player in players if engine.winner(engine.start(player))]:
        named = next(name for name in ("stuck", "steps", "operations", *given) if name in given)
        reason = f"{join_or(lost)} would have no first move and lose at once"
        wanted = "a first move for each player, or stuck=passes"
        raise BookError(f"{_written(named, given[named])}: {reason}; expected {wanted}")


def _written(name: str, value: Any) -> str:
    return f"{name}={setting_type(name).write(value)}"


def cannot_collide(rules: Rules) -> bool:
    """Return whether two tokens can never meet before the game is over."""
    if rules.shared:
        return True
    if rules.tokens > 1:
        return False
    ranges = [bounds.open_range(rules.line) for bounds in player_bounds(rules)[1:]]
    return all(max(one[0], other[0]) > min(one[1], other[1]) for one, other in combinations(ranges, 2))


def never_stuck(rules: Rules) -> bool:
    """Return whether the rules ensure that players always have a legal move; a stopped step counts as legal."""
    never_blocked = not MEETING[rules.meeting].blocks or cannot_collide(rules)
    signs = {operation.sign for operation in rules.operations}
    sides = forward_directions(rules)[1:]
    can_advance = rules.moves != "operations" or all(signs & set("+*" if side > 0 else "-") for side in sides)
    return rules.skip or (never_blocked and can_advance and OVERSHOOT[rules.overshoot].legal and rules.repeat == "free")


_POINTLESS: dict[str, tuple[tuple[Callable[[Rules], bool], str], ...]] = {
    "meeting": (
        (lambda rules: rules.shared, "{title} has a single marker that can't collide; expected shares"),
        (
            cannot_collide,
            "with one token per player, tokens never meet in {title}; expected shares, or also set tokens=2 or 3",
        ),
    ),
    "stuck": (
        (lambda rules: rules.skip, "with skip=true a player is never stuck; omit stuck, or set skip=false"),
        (never_stuck, "no player is ever stuck here; omit stuck, or also set overshoot=refused"),
    ),
    "finish": (
        (lambda rules: rules.shared, "{title} has a single marker; omit finish"),
        (lambda rules: rules.tokens == 1, "it matters only with several tokens; also set tokens=2 or 3"),
    ),
    "tokens": ((lambda rules: rules.shared, "{title} has a single marker that all players move; omit tokens"),),
    "reverse": (
        (lambda rules: rules.moves == "both ways", "moves go both ways in {title}; omit reverse"),
        (lambda rules: rules.moves == "operations", "{title} has operations; add -1 to operations instead"),
    ),
}
"""The conditions under which each rule has no effect, with their error messages."""
