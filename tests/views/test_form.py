"""Settings forms: every setting with its values, bounds and words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import numberline as nl
from numberline.game.loader import book_from_toml
from numberline.views.form import FieldView, apply_settings, form_view, rules_view
from properties.test_views import holds
from support.mixtures import book_of, mixtures
from support.variants import EVERY

KINDS = {"number", "place", "choice", "yes-no", "moves"}


def field(variant: str, name: str) -> FieldView:
    return next(field for field in form_view(nl.book(variant)) if field.name == name)


def vary(book: nl.Book, name: str, value: str) -> nl.Book | str:
    """Return the variant that one setting makes, or the error message."""
    try:
        return book.vary(f"{name}={value}")
    except nl.BookError as error:
        return str(error)


def apply(book: nl.Book, name: str, value: str) -> nl.Book | str:
    """Do the same through the form."""
    try:
        return apply_settings(book, {name: value})
    except nl.BookError as error:
        return str(error)


def check_form(book: nl.Book) -> None:
    """Check the form of a book, and that its own values change nothing."""
    form = form_view(book)
    assert [(each.name, each.value, each.default) for each in form] == [setting[:3] for setting in book.settings]
    assert apply_settings(book, {each.name: each.value for each in form}) == book
    for each in form:
        assert apply_settings(book, {each.name: each.value}) == book
        assert each.kind in KINDS
        assert each.title
        assert each.help.endswith(".")
        values = [option.value for option in each.choices]
        assert bool(values) == (each.kind in {"choice", "yes-no", "place"})
        assert each.value in values or each.kind in {"number", "moves", "place"}
        if each.kind == "number" or (each.kind == "place" and each.value != "middle"):
            assert each.low is None or each.low <= int(each.value)
            assert each.high is None or int(each.value) <= each.high
        for value in values:
            assert apply(book, each.name, value) == vary(book, each.name, value)
    holds(form, 0)
    holds(rules_view(book), 0)


@pytest.mark.parametrize("variant", EVERY)
def test_form_has_every_setting_and_its_values_change_nothing(variant: str) -> None:
    check_form(nl.book(variant))


@given(mixtures())
def test_form_of_any_mixture_makes_the_same_mixture(text: str) -> None:
    check_form(book_of(text))


@given(st.sampled_from(nl.NAMES), st.data())
def test_valid_number_is_within_the_bounds_of_its_field(name: str, data: st.DataObject) -> None:
    book = nl.book(name)
    each = data.draw(st.sampled_from([field for field in form_view(book) if field.kind in {"number", "place"}]))
    number = data.draw(st.integers(-5, 60))
    made = apply(book, each.name, str(number))
    assert made == vary(book, each.name, str(number))
    if isinstance(made, nl.Book):
        assert each.low is None or each.low <= number
        assert each.high is None or number <= each.high


def test_field_has_title_kind_bounds_and_help() -> None:
    end = field("line-runner", "end")
    assert (end.title, end.kind, end.value, end.low, end.help) == ("End", "number", "20", 1, "Where the line ends.")
    start = field("reach-the-edge(end=21)", "start")
    assert (start.kind, start.value, start.choices[0].title) == ("place", "middle", "the middle of the line, 11")
    players = field("line-runner(players=3)", "players")
    assert (players.value, players.default, players.low, players.high) == ("3", "2", 2, 6)
    assert dict(field("line-runner", "skip").choices) == {"true": "yes", "false": "no"}
    assert field("number-reach", "operations").kind == "moves"


def test_meaning_of_losing_depends_on_the_number_of_players() -> None:
    assert dict(field("line-runner", "stuck").choices)["loses"] == "you lose the game if you have no move"
    assert dict(field("line-runner(players=3)", "stuck").choices)["loses"] == "you are out if you have no move"


def test_invalid_setting_is_rejected_with_the_engines_message() -> None:
    with pytest.raises(nl.BookError, match="end=0: the line starts at 0; expected 1 or more"):
        apply_settings(nl.book("line-runner"), {"end": "0"})


def test_setting_that_cannot_matter_is_not_changeable() -> None:
    assert not field("number-reach", "meeting").changeable
    assert field("number-reach", "overshoot").changeable


def test_custom_setting_of_a_book_is_a_place() -> None:
    text = 'title = "Own"\n[settings]\nline = 9\n[rules]\nline = [0, "line"]\nstart = 0\ngoal = "line"\n'
    book = book_from_toml(f'{text}moves = "forward"\nsteps = "1-2"\n', "own", source_name="own")
    each = form_view(book)[0]
    assert (each.name, each.kind, each.low) == ("line", "number", 1)


def test_rules_view_describes_the_changes() -> None:
    view = rules_view(nl.book("line-runner(end=14)"))
    assert (view.title, view.changes) == ("Line Runner", "Here the line ends at 14.")
    assert view.sections[0].heading == "The line"
    assert "14" in view.sections[0].text
    assert view.opening


def typed_values(each: FieldView) -> list[str]:
    """Return many values for a field, far more than the form tries."""
    values = [option.value for option in each.choices]
    if each.kind in {"number", "place"}:
        values += map(str, range(-60, 61))
    if each.name == "steps":
        values += [f"{first}-{last}" for first in range(1, 6) for last in range(first, 14)]
    if each.name == "operations":
        values += [f"{one}2 {other}{number}" for one in "+-*/" for other in "+-*/" for number in (2, 3, 5)]
    return values


@pytest.mark.parametrize("variant", EVERY)
def test_field_is_changeable_exactly_if_another_value_makes_a_game(variant: str) -> None:
    book = nl.book(variant)
    for each in form_view(book):
        made = (vary(book, each.name, value) for value in typed_values(each))
        assert each.changeable == any(isinstance(game, nl.Book) and game != book for game in made), each.name


@given(mixtures())
def test_field_of_any_mixture_is_changeable_if_a_value_works(text: str) -> None:
    book = book_of(text)
    for each in form_view(book):
        made = (vary(book, each.name, value) for value in typed_values(each))
        assert each.changeable == any(isinstance(game, nl.Book) and game != book for game in made), each.name
