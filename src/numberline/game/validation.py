"""Settings that make no sense: one sentence says which, what was given and what would do.

A rule is refused where it could not matter in the book whatever its numbers were. Whether it does matter with the
numbers at hand is for `check`, which searches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations, product
from typing import Any, NoReturn

from numberline.errors import BookError
from numberline.game.book_file import BookTemplate, PlaceRef, per_player
from numberline.game.bounds import player_bounds
from numberline.game.engine import Engine
from numberline.game.messages import player_name
from numberline.game.moves import forward_directions
from numberline.game.rules import Rules
from numberline.game.setting_types import PLACE_TYPE, RULE_DEFAULTS, RULE_TYPES
from numberline.text import join_or


def build_engine(draft: BookTemplate, changes: Mapping[str, Any]) -> Engine:
    """The engine of a book or of a variant of it; refuses, with one sentence, what makes no game."""
    chosen = {**draft.defaults, **changes}
    rules = draft.rules(chosen)
    _validate_places(draft, chosen, rules)
    _validate_numbers(draft, rules)
    given = changes or {
        name: value for name, value in chosen.items() if name in RULE_TYPES and value != RULE_DEFAULTS[name]
    }
    _validate_rules(draft, given, rules)
    engine = Engine(rules)
    _validate_first_moves(draft, given, engine)
    return engine


def _validate_places(draft: BookTemplate, chosen: Mapping[str, Any], rules: Rules) -> None:
    """Refuses a line without length, and starts and goals that are off it or on each other."""
    low, high = rules.line
    if high <= low:
        _reject(draft.line[1], "line", high, f"the line begins at {low}, so expected {low + 1} or more")
    for rule, stated in (("start", draft.start), ("goal", draft.goal)):
        if isinstance(stated, tuple) and len(stated) != rules.players:
            many = f"{draft.title} has a {rule} for each of {len(stated)} players; expected {len(stated)}"
            raise BookError(f"players={rules.players}: {many}")
    starts = list(zip(per_player(draft.start, rules.players), rules.starts, strict=True))
    goals = list(zip(per_player(draft.goal, rules.players), rules.goals, strict=True))
    for rule, ref, place in [("start", *start) for start in starts] + [("goal", ref, goal[0]) for ref, goal in goals]:
        if not low <= place <= high:
            _reject(ref, rule, place, f"expected a place on the line from {low} to {high}")
    pairs = product(starts, goals) if rules.shared else zip(starts, goals, strict=True)
    for (start_ref, start), (goal_ref, goal) in pairs:
        if start in goal:
            _reject_start_on_goal(draft, chosen, rules, (start_ref, goal_ref, start))


def _reject_start_on_goal(
    draft: BookTemplate, chosen: Mapping[str, Any], rules: Rules, clash: tuple[PlaceRef, PlaceRef, int]
) -> NoReturn:
    """Blames the line where it is too short to choose another place, else what can be chosen of start and goal."""
    start_ref, goal_ref, at = clash
    low, high = rules.line
    own_words = draft.defaults.keys() - RULE_TYPES.keys() - set(draft.line)
    ref, rule, reason, taken = goal_ref, "goal", "a start is there", set(rules.starts)
    if goal_ref == "either end" or (start_ref in own_words and goal_ref not in own_words):
        ref, rule, reason = start_ref, "start", "that is a goal"
        taken = {place for goal in rules.goals for place in goal}
    middle_on_an_end = high - low == 1 and "middle" in {chosen.get(str(ref), ref) for ref in (start_ref, goal_ref)}
    if middle_on_an_end or high - low < len(taken):
        wanted = low + max(2, len(taken))
        _reject(draft.line[1], "line", high, f"too short to keep start and goal apart; expected {wanted} or more")
    _reject(ref, rule, at, f"{reason}; expected {_others(rules, taken)}")


def _others(rules: Rules, taken: set[int]) -> str:
    """The places of the line but for these few, in words."""
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
    """Blames the word that a book has for a place, or else the rule that says where it is."""
    name = ref if isinstance(ref, str) and ref not in ("middle", "either end") else rule
    raise BookError(f"{name}={value}: {reason}")


def _validate_numbers(draft: BookTemplate, rules: Rules) -> None:
    """Refuses steps of which none could ever be taken, and sums that can't lead to the goal."""
    if rules.moves == "operations":
        _validate_operations(draft, rules)
        return
    furthest = max(abs(goal - start) for start, goals in zip(rules.starts, rules.goals, strict=True) for goal in goals)
    if rules.overshoot == "refused" and not rules.reverse and rules.steps[0] > furthest:
        reason = f"nobody could ever move, the goal being {furthest} away"
        raise BookError(f"{_written('steps', rules.steps)}: {reason}; expected a step of at most {furthest} among them")


def _validate_operations(draft: BookTemplate, rules: Rules) -> None:
    """Refuses sums with numbers below 1, and sums of which none leads to a goal."""
    low, forward = rules.line[0], forward_directions(rules)[1:]
    if low < 1:
        _reject(draft.line[0], "line", low, "moves are sums here, and numbers begin at 1; expected 1 or more")
    if not any((side > 0) == operation.increases for side in forward for operation in rules.operations):
        such = "+1 or *2" if forward[0] > 0 else "-1 or /2"
        reason = f"none of them leads towards the goal; expected one such as {such} among them"
        raise BookError(f"{_written('operations', rules.operations)}: {reason}")


def _validate_rules(draft: BookTemplate, given: Mapping[str, Any], rules: Rules) -> None:
    """Refuses a rule that could never matter in this book."""
    for name, value in given.items():
        for is_pointless, reason in _POINTLESS.get(name, ()):
            if is_pointless(rules):
                raise BookError(f"{_written(name, value)}: {reason.format(title=draft.title)}")


def _validate_first_moves(draft: BookTemplate, given: Mapping[str, Any], engine: Engine) -> None:
    """Refuses a game that is over before the first move; nobody starts on a goal, so it is for having no move."""
    players = range(1, engine.rules.players + 1)
    lost = [player_name(draft.voice, player) for player in players if engine.winner(engine.start(player))]
    if lost:
        blamed = next(name for name in ("stuck", "steps", "operations", *given) if name in given)
        reason = f"if {join_or(lost)} begins, there is no first move and the game is over at once"
        wanted = "a first move for every player, or stuck=passes"
        raise BookError(f"{_written(blamed, given[blamed])}: {reason}; expected {wanted}")


def _written(name: str, value: Any) -> str:
    return f"{name}={RULE_TYPES.get(name, PLACE_TYPE).write(value)}"


def cannot_collide(rules: Rules) -> bool:
    """Whether no two tokens can ever come to the same place before the game is over."""
    if rules.shared:
        return True
    if rules.tokens > 1:
        return False
    walks = [stretch.open_range(rules.line) for stretch in player_bounds(rules)[1:]]
    return all(max(one[0], other[0]) > min(one[1], other[1]) for one, other in combinations(walks, 2))


def never_stuck(rules: Rules) -> bool:
    """Whether a player can always choose something, whatever the numbers are (a stopped step is a choice too)."""
    unhindered = rules.meeting != "blocks" or cannot_collide(rules)
    leads_on = rules.moves != "operations" or all(
        any(operation.increases if side > 0 else operation.sign == "-" for operation in rules.operations)
        for side in forward_directions(rules)[1:]
    )
    return rules.skip or (unhindered and leads_on and rules.overshoot != "refused" and rules.repeat == "free")


_POINTLESS: dict[str, tuple[tuple[Callable[[Rules], bool], str], ...]] = {
    "meeting": (
        (lambda rules: rules.shared, "{title} has one marker, which meets nobody; expected shares"),
        (cannot_collide, "with one token each nobody meets in {title}; expected shares, or set tokens=2 or 3 as well"),
    ),
    "stuck": (
        (lambda rules: rules.skip, "whoever may skip always has a move; leave stuck out, or set skip=false"),
        (never_stuck, "nobody can ever be without a move here; leave stuck out, or set overshoot=refused as well"),
    ),
    "finish": (
        (lambda rules: rules.shared, "{title} has one marker for everybody; leave finish out"),
        (lambda rules: rules.tokens == 1, "it matters only with several tokens; set tokens=2 or 3 as well"),
    ),
    "tokens": ((lambda rules: rules.shared, "{title} has one marker that everybody moves; leave tokens out"),),
    "reverse": (
        (lambda rules: rules.moves == "both ways", "in {title} you can go back anyway; leave reverse out"),
        (lambda rules: rules.moves == "operations", "moves are sums in {title}; add -1 to operations instead"),
    ),
}
"""For each rule, when it could make no difference, and the sentence that says so."""
