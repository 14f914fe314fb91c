"""Settings that make no sense, found by arithmetic alone: one sentence says which, what was given and what would do.

A rule is refused where it could not matter in the book whatever its numbers were. Whether it does matter with the
numbers at hand is for `check`, which searches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from numberline.book.places import Places, Ref
from numberline.rules.answers import Rules
from numberline.rules.errors import BookError
from numberline.rules.moves import sides
from numberline.rules.overshooting import stretches

if TYPE_CHECKING:
    from numberline.book.plan import Plan


def of_places(plan: Plan, chosen: Mapping[str, Any], places: Places) -> None:
    """Refuses a line without length, and starts and goals that are off it or on each other."""
    low, high, starts, goals = places
    if high <= low:
        _refuse(plan.line[1], high, f"the line begins at {low}, so expected {low + 1} or more", rule="line")
    _of_players(plan, chosen)
    start_refs = plan.start if isinstance(plan.start, tuple) else (plan.start,) * len(starts)
    goal_refs = plan.goal if isinstance(plan.goal, tuple) else (plan.goal,) * len(goals)
    on_line = f"on the line from {low} to {high}"
    for ref, start in zip(start_refs, starts, strict=True):
        if not low <= start <= high:
            _refuse(ref, start, f"expected a place {on_line}", rule="start")
    for ref, goal in zip(goal_refs, goals, strict=True):
        if not low <= goal[0] <= goal[-1] <= high:
            _refuse(ref, goal[0], f"expected a place {on_line}", rule="goal")
    everyones = {place for goal in goals for place in goal}
    for start_ref, goal_ref, start, goal in zip(start_refs, goal_refs, starts, goals, strict=True):
        if start in (everyones if plan.shared else goal):
            _refuse_start_on_goal(plan, chosen, places, (start_ref, goal_ref))


def of_numbers(rules: Rules) -> None:
    """Refuses steps of which none could ever be taken, and sums that can't lead to the goal."""
    if rules.moves == "operations":
        forward = sides(rules)[1:]
        if not any((side > 0) == operation.rises for side in forward for operation in rules.operations):
            up = "+1 or *2" if forward[0] > 0 else "-1 or /2"
            raise BookError(
                f"operations={' '.join(map(str, rules.operations))}: none of them leads towards the goal; "
                f"expected one such as {up} among them"
            )
        return
    furthest = max(abs(goal - start) for start, goals in zip(rules.starts, rules.goals, strict=True) for goal in goals)
    if rules.overshoot == "refused" and not rules.reverse and rules.steps[0] > furthest:
        raise BookError(
            f"steps={rules.steps[0]}: nobody could ever move, the goal being {furthest} away; "
            f"expected a step of at most {furthest} among them"
        )


def of_changes(plan: Plan, changed: Mapping[str, Any], rules: Rules) -> None:
    """Refuses a rule that could never matter in this book."""
    for name, value in changed.items():
        for test, reason in _POINTLESS.get(name, ()):
            if test(rules):
                written = str(value).lower() if isinstance(value, bool) else value
                raise BookError(f"{name}={written}: {reason.format(title=plan.title)}")


class _Pointless(NamedTuple):
    test: Callable[[Rules], bool]
    reason: str


def nobody_meets(rules: Rules) -> bool:
    """Whether no two tokens can ever come to the same place before the game is over."""
    if rules.shared:
        return True
    if rules.tokens > 1:
        return False
    walks = [stretch.in_play(rules.line) for stretch in stretches(rules, sides(rules))[1:]]
    return max(low for low, _ in walks) > min(high for _, high in walks)


def always_a_move(rules: Rules) -> bool:
    """Whether a player can always choose something, whatever the numbers are (a stopped step is a choice too)."""
    unhindered = rules.meeting != "blocks" or nobody_meets(rules)
    leads_on = rules.moves != "operations" or all(
        any(operation.rises if side > 0 else operation.sign == "-" for operation in rules.operations)
        for side in sides(rules)[1:]
    )
    return rules.skip or (unhindered and leads_on and rules.overshoot != "refused" and rules.repeat == "free")


_POINTLESS: dict[str, tuple[_Pointless, ...]] = {
    "meeting": (
        _Pointless(lambda rules: rules.shared, "{title} has one marker, which meets nobody; expected shares"),
        _Pointless(
            nobody_meets, "with one token each nobody meets in {title}; expected shares, or set tokens=2 or 3 as well"
        ),
    ),
    "stuck": (
        _Pointless(
            lambda rules: rules.skip, "who may skip is never without a move; leave stuck out, or set skip=false"
        ),
        _Pointless(
            always_a_move,
            "nobody can ever be without a move here; leave stuck out, or set overshoot=refused as well",
        ),
    ),
    "finish": (
        _Pointless(lambda rules: rules.shared, "{title} has one marker for everybody; leave finish out"),
        _Pointless(lambda rules: rules.tokens == 1, "it matters only with several tokens; set tokens=2 or 3 as well"),
    ),
    "tokens": (
        _Pointless(lambda rules: rules.shared, "{title} has one marker that everybody moves; leave tokens out"),
    ),
    "reverse": (
        _Pointless(lambda rules: rules.moves == "both ways", "in {title} one can go back anyway; leave reverse out"),
        _Pointless(
            lambda rules: rules.moves == "operations", "moves are sums in {title}; add -1 to operations instead"
        ),
    ),
}


def _of_players(plan: Plan, chosen: Mapping[str, Any]) -> None:
    for rule, stated in (("start", plan.start), ("goal", plan.goal)):
        if isinstance(stated, tuple) and len(stated) != chosen["players"]:
            raise BookError(
                f"players={chosen['players']}: {plan.title} has a {rule} for each of {len(stated)} players; "
                f"expected {len(stated)}"
            )


def _refuse_start_on_goal(plan: Plan, chosen: Mapping[str, Any], places: Places, refs: tuple[Ref, Ref]) -> NoReturn:
    """Blames the line for being too short where a middle is on its end, else what can be chosen of start and goal."""
    start_ref, goal_ref = refs
    if "middle" in {chosen.get(str(ref), ref) for ref in refs}:
        short = f"too short to keep start and goal apart; expected {places.low + 2} or more"
        _refuse(plan.line[1], places.high, short, rule="line")
    own_words = [word for word in plan.words if word not in plan.line]
    starts = set(places.starts)
    if plan.goal == "either end" or (start_ref in own_words and goal_ref not in own_words):
        goals = {place for goal in places.goals for place in goal}
        _refuse(start_ref, (starts & goals).pop(), f"that is a goal; expected {_others(places, goals)}", rule="start")
    at = chosen.get(str(goal_ref), goal_ref)
    _refuse(goal_ref, at, f"a start is there; expected {_others(places, starts)}", rule="goal")


def _others(places: Places, taken: set[int]) -> str:
    """The places of the line but for these, in words."""
    low = next((place for place in range(places.low, places.high) if place not in taken), places.low)
    high = next((place for place in range(places.high, places.low, -1) if place not in taken), places.high)
    between = sorted(place for place in taken if low < place < high)
    return f"a place from {low} to {high}" + (f" other than {', '.join(map(str, between))}" if between else "")


def _refuse(ref: Ref, value: int, reason: str, *, rule: str = "") -> NoReturn:
    name = ref if isinstance(ref, str) and ref not in ("middle", "either end") else rule
    raise BookError(f"{name}={value}: {reason}")
