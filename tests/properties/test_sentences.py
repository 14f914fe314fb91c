"""Sentences that a player reads during a game: short, and in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import numberline as nl
from numberline.errors import MoveError
from numberline.explain.explanation import explain_briefly, hint
from numberline.explain.narrator import Narrator
from numberline.explain.phrases import Phrases
from numberline.explain.rule_words import key_rule, rule_clause
from numberline.explain.rules_text import describe_key_rules, describe_play
from numberline.game.move_text import MAX_SENTENCE_WORDS
from numberline.game.moves import FORCED_MOVES
from numberline.views.board import position_view
from numberline.views.game_over import ending_view
from numberline.views.match import match_view
from support.mixtures import book_of, mixtures
from support.variants import reachable

BANNED = re.compile(
    r"\b(forced?|forces) a win\b|\bto move\b|\bat most\b|\bholds? out\b|\bis lost\b|\bmay not\b|\bovershoot"
    r"|\bwhoever\b|\bnobody\b|\bsomebody\b|\beverybody\b|\bone's own\b|\banew\b|\bbeforehand\b|\bply\b|\bplies\b",
    re.IGNORECASE,
)
NAMES = ("Ann", "Bob", "Cem", "Dot", "Eva", "Fox")
books = st.one_of(mixtures(largest=300), st.sampled_from(nl.NAMES))


def said_before_a_move(match: nl.Match, solution: nl.Solution) -> Iterator[str]:
    """Everything that can be asked or refused in this position."""
    position, names = match.position, match.names
    yield hint(solution, position, 1, names).text
    yield hint(solution, position, 2, names).text
    yield explain_briefly(solution, position, names)
    yield Narrator(match).legal()
    for choice in position_view(match.book, position, names).choices:
        yield choice.note
        yield choice.spoken
        if not choice.legal and choice.move not in FORCED_MOVES:
            try:
                match.copy().play(choice.move)
            except MoveError as error:
                yield str(error)


def said_after_a_game(match: nl.Match, solution: nl.Solution) -> Iterator[str]:
    for ply, shown in zip(match.plies, match_view(match).log, strict=True):
        yield shown[-1]  # the short message about the move
        yield Phrases(match.book, match.names, ply.player).describe_ply(ply)
    for you in (0, *match.book.players):
        view = ending_view(match, solution, you=you, against_bots=bool(you), helped=bool(match.length % 2))
        yield from (view.headline, view.missing, view.moment, view.retry.said if view.retry else "")


def check(text: str) -> None:
    for sentence in re.split(r"(?<=[.!?])\s+", text):
        assert len(sentence.split()) <= MAX_SENTENCE_WORDS, sentence
        assert not BANNED.search(sentence), sentence


@settings(max_examples=50)
@given(books, st.randoms(use_true_random=False))
def test_sentences_of_a_game_are_short_and_plain(text: str, rng: Any) -> None:
    book = book_of(text)
    solution = nl.solve(book)
    match = nl.Match(book, first=rng.choice(book.players), names=NAMES[: book.rules.players])
    check(key_rule(book))
    for rule in ("overshoot", "stuck"):
        if book.source and getattr(book.rules, rule) == "loses":
            clause = rule_clause(book, rule, "loses")
            assert clause[1:] in key_rule(book)
            assert clause[1:] in describe_key_rules(book)
            assert clause[1:] in describe_play(book)
    while match.moves and match.length < 20:
        if match.moves[0] not in FORCED_MOVES:
            for said in said_before_a_move(match, solution):
                check(said)
        match.play(rng.choice(match.moves))
    if match.moves:
        match.resign()
    for said in said_after_a_game(match, solution):
        check(said)


@settings(max_examples=40)
@given(mixtures(largest=200))
def test_brief_explanation_is_true(text: str) -> None:
    book = book_of(text)
    solution = nl.solve(book)
    for position in reachable(book):
        options = {str(option.move): option for option in solution.evaluate_moves(position)}
        if not options or set(options) <= {"pass", "out"}:
            continue
        said = explain_briefly(solution, position, NAMES[: book.rules.players])
        values = [option.worth.value for option in options.values()]
        if said.endswith(" can win."):
            assert set(values) == {"loss"}
            assert len(solution.hardest_to_answer(position)) == len(options)
            continue
        if said == hint(solution, position, 2, NAMES[: book.rules.players]).text:
            assert all(option.keeps_value for option in options.values())
            continue
        found = re.fullmatch(r"(.*?)Play (\S+?)(: you win at once| to make it harder)?\.", said)
        assert found, said
        reason, move, remark = found.groups()
        assert remark != " to make it harder" or len(solution.hardest_to_answer(position)) < len(options)
        assert options[move].best
        assert (remark == ": you win at once") == (options[move].worth.ends_game and options[move].value == "win")
        assert (remark == " to make it harder") == all(value == "loss" for value in values)
        if reason.startswith("If you play"):
            check_refutation(options, reason)


def check_refutation(options: dict[str, Any], reason: str) -> None:
    """Check what is said about wrong moves, such as `If you play 1 or 2, Bob can always win. `."""
    listed, _, consequence = reason.removeprefix("If you play ").removesuffix(". ").rpartition(", ")
    for wrong in re.split(r", or | or |, ", listed):
        option = options[wrong]
        assert not option.keeps_value
        assert (consequence == "your sure win is gone") == (option.value != "loss")
        if consequence == "you are out":
            assert option.worth.out
        elif option.value == "loss":
            assert consequence == f"{NAMES[option.worth.winner - 1]} can always win"
