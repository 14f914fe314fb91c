"""Rules of a variant in prose: in full, as an introduction, and as differences from the default rules."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from numberline.explain.rule_words import RULE_WORDS, goal_phrase, key_rule, key_rules, opponent_phrase, rule_clause
from numberline.game.book import Book
from numberline.game.move_text import MAX_SENTENCE_WORDS
from numberline.game.moves import forward_directions
from numberline.game.validation import cannot_collide
from numberline.solver.explore import find_incidents
from numberline.text import join_and, join_or, spell_number

MAX_LISTED_STEPS = 5


class Section(NamedTuple):
    """Section of the rules: a heading and its text."""

    heading: str
    text: str


def opening(book: Book) -> str:
    """Return an introduction: the book's own text if it is true of the variant, else one generated from the rules."""
    changed = [setting.name for setting in book.settings if setting.value != setting.default]
    if book.about and all(_keeps_about_true(book, name) for name in changed):
        return book.about
    return " ".join(_RulesWriter(book).opening())


def _keeps_about_true(book: Book, name: str) -> bool:
    """Return whether the book's own introduction certainly remains true if this setting changes."""
    if name == "operations":
        return all(operation.increases for operation in book.rules.operations)
    if name == "steps":
        return len(book.rules.steps) > 1
    roles = book.roles_of(name)
    return name in {"reverse", "skip", "stuck"} or ("start" not in roles and () in roles.values())


def describe_rules(book: Book, names: Sequence[str] = (), you: int = 0) -> list[Section]:
    """Return the rules of this variant, omitting those that can't matter in it.

    During a game, `names` are its players, and `you` is the player who reads the rules (0 if several players do).
    """
    writer = _RulesWriter(book, names, you)
    sections = {
        "The line": writer.line(),
        "The goal": writer.goal(),
        "Your turn": writer.turn(),
        RULE_WORDS["overshoot"].title: writer.overshoot(),
        "Meeting": writer.meeting(),
        RULE_WORDS["repeat"].title: writer.repeat(),
        RULE_WORDS["stuck"].title: writer.stuck(),
        "More than two": writer.elimination(),
    }
    return [Section(heading, text) for heading, sentences in sections.items() if (text := " ".join(sentences))]


def describe_goal(book: Book, names: Sequence[str] = ()) -> str:
    """Return a description of how to win; `names` are used if the players have different goals."""
    return " ".join(_RulesWriter(book, names).goal())


def describe_play(book: Book) -> str:
    """Return how to win, the moves and the most important rule, leaving out what `announce_changes` already says.

    >>> import numberline as nl
    >>> describe_play(nl.book("flag-chase(steps=1-2)"))
    "Be the first to reach exactly tile 5. You can't go past the goal."
    """
    moves = f"{_CHANGES['operations' if book.rules.moves == 'operations' else 'steps'](book)}."
    announced = announce_changes(book)
    said = [moves[:1].upper() + moves[1:]] * (moves not in announced.lower())
    return " ".join([describe_goal(book), *said, *key_rules(book, announced)])


def describe_setting(book: Book, name: str) -> str:
    """Return a phrase for what a setting of this book determines."""
    roles = book.roles_of(name)
    if "goal" in roles and book.rules.moves == "operations":
        return "the number to reach"
    for role, players in roles.items():
        return _PLAYER_ROLES[role].format(join_and([*map(book.player_name, players)])) if players else _ROLES[role]
    words = RULE_WORDS[name]
    values = [value for value in words.clauses if value not in {"true", "false"}]
    return f"{words.decides}: {join_or(values)}" if values else words.decides


_ROLES = {"line": "where the line ends", "start": "where the game starts", "goal": "where the goal is"}
_PLAYER_ROLES = {"start": "where {} starts", "goal": "where the goal of {} is"}


# Differences


def describe_changes(book: Book, names: Sequence[str] = (), you: int = 0, *, known: str = "") -> str:
    """Return the differences from the book's default rules in sentences, or an empty string if there are none.

    `names` and `you` are as in `describe_rules`. Rules that `known` already states are left out.

    >>> import numberline as nl
    >>> describe_changes(nl.book("line-runner(end=14, repeat=banned)"))
    "Here the line ends at 14, and you can't repeat your opponent's step."
    """
    clauses = [each for each in _change_clauses(book, names, you) if f"{each.lower()}." not in known.lower()]
    together = ", and ".join(clauses) if len(clauses) < 3 else join_and(clauses)
    is_short = len(together.split()) < MAX_SENTENCE_WORDS
    return f"Here {together if is_short else _in_sentences(clauses)}." if clauses else ""


def _in_sentences(clauses: Sequence[str]) -> str:
    return ". ".join([clauses[0], *(clause[0].upper() + clause[1:] for clause in clauses[1:])])


def describe_key_rules(book: Book, names: Sequence[str] = (), you: int = 0, *, known: str = "") -> str:
    """Return the key rule, the differences from the default rules, and, if it matters, the rule about having no move.

    What `known` already says is left out.

    >>> import numberline as nl
    >>> book = nl.book("line-runner(end=14, repeat=banned)")
    >>> describe_key_rules(book)
    "You can't repeat your opponent's step. Here the line ends at 14."
    >>> describe_key_rules(book, known="New: the line ends at 14.")
    "You can't repeat your opponent's step."
    >>> describe_key_rules(nl.book("reach-the-edge(steps=1,3)"))
    "You can't repeat your opponent's step. Here you move by 1 or 3. If you have no move, you lose your turn."
    """
    key = key_rule(book)
    changes = describe_changes(book, names, you, known=f"{known} {key}")
    stuck = " ".join(_RulesWriter(book).stuck()) if "no move" not in f"{known} {key} {changes}" else ""
    return " ".join(filter(None, ["" if key.lower() in known.lower() else key, changes, stuck]))


def announce_changes(book: Book) -> str:
    """Return the differences from the book's default rules as short sentences, or an empty string.

    >>> import numberline as nl
    >>> announce_changes(nl.book("line-runner(end=14, repeat=banned)"))
    "New rules: the line ends at 14. You can't repeat your opponent's step."
    """
    clauses = _change_clauses(book)
    if not clauses:
        return ""
    return f"New rule{'s' * (len(clauses) > 1)}: {_in_sentences(clauses)}."


def _change_clauses(book: Book, names: Sequence[str] = (), you: int = 0) -> list[str]:
    changed = [setting.name for setting in book.settings if setting.value != setting.default]
    return [_change_clause(book, name, names, you) for name in changed]


def _change_clause(book: Book, name: str, names: Sequence[str] = (), you: int = 0) -> str:
    roles, value = book.roles_of(name), book.setting(name).value
    if not roles:
        return _CHANGES[name](book) if name in _CHANGES else rule_clause(book, name, value)
    a_number = book.rules.shared and book.rules.moves == "operations"
    if "goal" in roles and a_number:
        return f"the number to reach is {value}"
    if "line" in roles:
        return f"the line {'ends' if int(value) == book.rules.line[1] else 'starts'} at {value}"
    place = value if a_number else f"{book.noun('place')} {value}" if value != "middle" else "the middle of the line"
    role, players = next(iter(roles.items()))
    if players == (you,):
        return f"your {role} is {place}"
    owners = [book.player_names(names)[player - 1] for player in players]
    return f"the {role}{f' of {join_and(owners)}' if owners else ''} is {place}"


def describe_change(book: Book, name: str) -> tuple[str, str]:
    """Return a short name and a clause for the value of a setting.

    >>> import numberline as nl
    >>> describe_change(nl.book("flag-chase(repeat=banned)"), "repeat")
    ('no copying', "you can't repeat your opponent's step")
    """
    clause, roles, value = _change_clause(book, name), book.roles_of(name), book.setting(name).value
    if not roles:
        words = RULE_WORDS[name]
        return words.short.get(value, f"{words.title.lower()} {join_or(value.replace(',', ' ').split())}"), clause
    if "the number to reach" in clause:
        return f"reach {value}", clause
    return clause.removeprefix("the ") if "line" in roles else f"{next(iter(roles))} at {value}", clause


def title_in_words(book: Book) -> str:
    """Return the title and, for a variant, short names of its changes.

    >>> import numberline as nl
    >>> title_in_words(nl.book("flag-chase(end=20, repeat=banned)"))
    'Flag Chase (line ends at 20; no copying)'
    """
    changed = [setting.name for setting in book.settings if setting.value != setting.default]
    return f"{book.title} ({'; '.join(describe_change(book, name)[0] for name in changed)})" if changed else book.title


def _steps_clause(book: Book) -> str:
    ways = "left or right by" if book.rules.moves == "both ways" else "by"
    return f"you move {ways} {_list_steps(book.rules.steps)}"


def _list_steps(steps: Sequence[int]) -> str:
    is_range = len(steps) > MAX_LISTED_STEPS and steps[-1] - steps[0] == len(steps) - 1
    return f"{steps[0]} to {steps[-1]}" if is_range else join_or(steps)


def _tokens_clause(book: Book) -> str:
    count = book.rules.tokens
    return f"each player has {spell_number(count)} {book.noun('token')}{'' if count == 1 else 's'}"


_CHANGES: dict[str, Callable[[Book], str]] = {
    "steps": _steps_clause,
    "operations": lambda book: f"you can play {join_or(book.rules.operations)}",
    "tokens": _tokens_clause,
    "players": lambda book: f"there are {spell_number(book.rules.players)} players",
}


# Full rules

_SUMS = {"+": "add {}", "-": "take away {}", "*": "multiply by {}", "/": "divide by {}"}


class _RulesWriter:
    """Generator of the sentences that describe the rules of one book."""

    def __init__(self, book: Book, names: Sequence[str] = (), you: int = 0) -> None:
        self.book = book
        self.in_game = bool(names)
        self.you = you
        self.names = book.player_names(names)
        self.rules = book.rules
        self.place, self.token = book.noun("place"), book.noun("token")
        self.sums = book.rules.moves == "operations"
        self.incidents = find_incidents(book)
        self.past = book.rules.overshoot if "past the goal" in self.incidents else ""
        self.meets = not cannot_collide(book.rules)
        self.plural = "" if book.rules.tokens == 1 else "s"
        self.one_goal = len(set(book.rules.goals)) == 1
        self.your_goal = goal_phrase(book)
        own = f"one of your {self.token}s" if self.plural else f"your {self.token}"
        self.moved = f"the {self.token}" if book.rules.shared else own

    def _clause_sentence(self, rule: str) -> str:
        clause = rule_clause(self.book, rule, getattr(self.rules, rule))
        return f"{clause[:1].upper()}{clause[1:]}."

    def opening(self) -> Iterator[str]:
        players = f"{spell_number(self.rules.players).capitalize()} players"
        if self.rules.shared:
            yield f"{players} {'change' if self.sums else 'move'} one {self.token}."
        else:
            yield f"{players} have {spell_number(self.rules.tokens)} {self.token}{self.plural} each."
        yield from self.goal()
        for rule in (self.overshoot() if self.past == "loses" else (), self.meeting(), self.repeat()):
            yield from rule

    def line(self) -> Iterator[str]:
        rules, starts = self.rules, self.rules.starts
        if not (self.sums and rules.shared):
            yield f"The line runs from {rules.line[0]} to {rules.line[1]}."
        if rules.shared:
            at = f"at {starts[0]}" if self.sums else f"on {self.place} {starts[0]}"
            yield f"There is one {self.token} for all players. It starts {at}."
            return
        each = f"Each player has {spell_number(rules.tokens)} {self.token}{self.plural}"
        if len(set(starts)) == 1:
            both = "both" if rules.players * rules.tokens == 2 else "all of them"
            yield f"{each}, and {both} start on {self.place} {starts[0]}."
        else:
            start = "start on" if self.plural else "starts on"
            yield f"{each}: {self._each_players(start, 'on', [f'{self.place} {place}' for place in starts])}."

    def _each_players(self, first: str, rest: str, things: Sequence[str]) -> str:
        """Return a clause listing one thing per player: `Player 1's goal is 5 and Player 2's is 8`."""
        whose = [f"{name}'s" for name in self.names]
        if self.you:
            whose[self.you - 1] = "your" if self.you == 1 and first.startswith("goal") else "yours"
        named = enumerate(zip(whose, things, strict=True))
        return join_and([f"{name} {rest if number else first} {thing}" for number, (name, thing) in named])

    def goal(self) -> Iterator[str]:
        goal = join_or(self.rules.goals[0])
        if not self.one_goal:
            yield from self._own_goals()
        elif self.rules.shared:
            bring = f"make the {self.token}" if self.sums else f"bring the {self.token}"
            to = goal if self.sums else f"to {self.place} {goal}"
            yield f"You win if you {bring}{self._exactly} {to}{' or go past it' if self.past == 'counts' else ''}."
        else:
            reach = "reach or pass" if self.past == "counts" else f"reach{self._exactly}"
            yield f"Be the first to {reach} {self.place} {goal}{self._with_tokens}."
        if self.plural and self.rules.finish == "all":
            if len(self.rules.goals[0]) > 1:
                yield "They don't all have to go to the same end."
            yield f"{self.token.capitalize()}s at the goal stay there."

    def _own_goals(self) -> Iterator[str]:
        rules = self.rules
        noun = "" if self.sums and rules.shared else f"{self.place} "
        goals = self._each_players("goal is", "is", [f"{noun}{own[0]}" for own in rules.goals])
        yield f"{goals[:1].upper()}{goals[1:]}."
        if not rules.shared:
            reach = "reach or pass yours" if self.past == "counts" else f"reach yours{self._exactly}"
            yield f"Be the first to {reach}{self._with_tokens}."
            return
        lands = "reaches or passes" if self.past == "counts" else f"lands{self._exactly} on"
        back = ", no matter who brought it there" if rules.reverse or rules.moves != "forward" else ""
        yield f"You win when the {self.token} {lands} your goal{back}."
        if len(set(rules.goals)) < rules.players:
            yield "If players share that goal, the one who made the move wins. If none did, the first of them wins."

    @property
    def _exactly(self) -> str:
        return " exactly" if self.past in ("refused", "loses") else ""

    @property
    def _with_tokens(self) -> str:
        return f" with {'all' if self.rules.finish == 'all' else 'one of'} your {self.token}s" if self.plural else ""

    def turn(self) -> Iterator[str]:
        rules = self.rules
        order = f", in the order {', '.join(map(self.book.label, self.book.players))}" if rules.players > 2 else ""
        yield f"The {spell_number(rules.players)} players take turns{order}."
        agreed = f"{self.book.player_name(1)} goes first, unless you agree otherwise."
        if not self.in_game:
            begins = self.book.voice.get("begins")
            yield agreed if begins == "first" else "Agree on who goes first, or toss a coin."
        yield from self._sums() if self.sums else self._steps()
        if rules.reverse:
            but = ", but not off the line" if "off the line" in self.incidents else ""
            yield f"Instead, you can move {self.moved} back one {self.place}{but}."
        if rules.skip:
            yield "You can also skip your turn."

    def _sums(self) -> Iterator[str]:
        operations = self.rules.operations
        move = "" if self.rules.shared else f" do a sum to move {self.moved}: you"
        ways = [f"{_SUMS[operation.sign].format(operation.amount)} ({operation})" for operation in operations]
        yield f"On your turn, you{move} {join_or(ways)}."
        if "off the line" in self.incidents:
            low, high = self.rules.line
            directions = forward_directions(self.rules)
            ends = [end for end, way in ((f"below {low}", 1), (f"above {high}", -1)) if way in directions]
            yield f"{'You' if len(ends) == 1 else 'When you move away from your goal, you'} can't go {join_or(ends)}."
        if any(operation.sign == "/" for operation in operations):
            yield "A division must come out even."

    def _steps(self) -> Iterator[str]:
        distance = f"{_list_steps(self.rules.steps)} {self.place}{'' if self.rules.steps == (1,) else 's'}"
        if self.rules.moves == "both ways":
            yield f"On your turn, you move {self.moved} left or right by {distance}."
            if "off the line" in self.incidents:
                yield f"When you move away from {self.your_goal}, you can't go off the line."
        else:
            way = "to the right" if len(self.rules.goals[0]) > 1 else f"towards {self.your_goal}"
            yield f"On your turn, you move {self.moved} {way} by {distance}."

    def overshoot(self) -> Iterator[str]:
        if self.past:
            yield self._clause_sentence("overshoot")
        if self.past == "loses" and self.rules.players > 2 and self.rules.shared:
            yield f"The {self.token} stays {'what' if self.sums else 'where'} it was."

    def meeting(self) -> Iterator[str]:
        rules = self.rules
        if not self.meets:
            return
        jumps = rules.steps != (1,)
        yield self._clause_sentence("meeting")
        if rules.meeting == "blocks" and rules.shared_starts and jumps:
            yield f"{self.token.capitalize()}s that stand with yours on the start don't block it."
        if rules.meeting == "stops":
            yield f"If that {self.place} is taken too, it stops on the nearest free one, or stays where it is."
            if rules.shared_starts:
                yield f"Only on the start can {self.token}s stand together."
            if jumps:
                yield "You can jump over others."
        if rules.meeting != "shares":
            yield from self._meeting_at_goal()

    def _meeting_at_goal(self) -> Iterator[str]:
        rules = self.rules
        if self.plural and rules.finish == "all":
            yield f"{self.token.capitalize()}s at their goal aren't in the way."
        if not self.one_goal or (self.past in ("counts", "loses") and len(set(forward_directions(rules)[1:])) > 1):
            past = " and past it" if self.past in ("counts", "loses") else ""
            yield f"On {self.your_goal}{past}, nothing is in your way."

    def repeat(self) -> Iterator[str]:
        rules = self.rules
        if rules.repeat == "free":
            return
        before = opponent_phrase(self.book)
        ways = {
            "whichever way it goes": rules.moves == "both ways",
            f"whichever {self.token} it moves": bool(self.plural),
        }
        whichever = [way for way, matters in ways.items() if matters]
        sentence = self._clause_sentence("repeat")
        yield f"{sentence.removesuffix('.')}, {join_and(whichever)}." if whichever else sentence
        if rules.meeting == "stops" and self.meets:
            yield "A move that was stopped short counts in full."
        if rules.reverse:
            yield "Going back counts as a step of 1."
        idle = {
            "skipped": rules.skip,
            "lost the turn": "lost turn" in self.incidents,
            "had no move": "no move" in self.incidents and rules.players > 2,
        }
        if any(idle.values()):
            yield f"If {before} {join_or([way for way, can in idle.items() if can])}, you can play anything."

    def stuck(self) -> Iterator[str]:
        rules = self.rules
        if "lost turn" in self.incidents:
            stopped = {"passes": "no move would get you anywhere", "loses": "every move would leave you where you are"}
            nothing = stopped[rules.stuck] if rules.meeting == "stops" else "you have no move"
            yield f"If {nothing}, you lose your turn."
        if "no move" in self.incidents:
            yield f"If you have no move at all, you {'lose the game' if rules.players == 2 else 'are out'}."

    def elimination(self) -> Iterator[str]:
        rules = self.rules
        if rules.players > 2 and (self.past == "loses" or "no move" in self.incidents):
            yield "The last player left wins."
            if not rules.shared:
                yield f"A player who is out takes their {self.token}{self.plural} off the line."
