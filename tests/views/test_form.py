"""The form of a book has every setting, says what each can be, and makes the variant that the settings make."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import numberline as nl
from numberline.game.loader import book_from_toml
from numberline.views.form import FieldView, apply_settings, form_view
from numberline.views.rules import rules_view
from properties.test_views import holds
from support.mixtures import book_of, mixtures
from support.variants import EVERY

KINDS = {"number", "place", "choice", "yes-no", "moves"}


def field(variant: str, name: str) -> FieldView:
    return next(each for each in form_view(nl.book(variant)) if each.name == name)


def tried(book: nl.Book, name: str, value: str) -> nl.Book | str:
    """The variant that one setting makes, or the sentence that refuses it."""
    try:
        return book.vary(f"{name}={value}")
    except nl.BookError as error:
        return str(error)


def filled(book: nl.Book, name: str, value: str) -> nl.Book | str:
    """The same by the form."""
    try:
        return apply_settings(book, {name: value})
    except nl.BookError as error:
        return str(error)


def checked(book: nl.Book) -> None:
    """Whether the form of a book has what it must, and changes nothing where nothing is changed."""
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
            assert filled(book, each.name, value) == tried(book, each.name, value)
    holds(form, 0)
    holds(rules_view(book), 0)


@pytest.mark.parametrize("variant", EVERY)
def test_a_form_has_every_setting_and_its_own_values_change_nothing(variant: str) -> None:
    checked(nl.book(variant))


@given(mixtures())
def test_the_form_of_any_mixture_makes_the_same_mixture(text: str) -> None:
    checked(book_of(text))


@given(st.sampled_from(nl.NAMES), st.data())
def test_a_number_that_makes_a_game_is_within_the_bounds_of_its_field(name: str, data: st.DataObject) -> None:
    book = nl.book(name)
    each = data.draw(st.sampled_from([field for field in form_view(book) if field.kind in {"number", "place"}]))
    number = data.draw(st.integers(-5, 60))
    made = filled(book, each.name, str(number))
    assert made == tried(book, each.name, str(number))
    if isinstance(made, nl.Book):
        assert each.low is None or each.low <= number
        assert each.high is None or number <= each.high


def test_a_setting_is_told_in_words() -> None:
    end = field("line-runner", "end")
    assert (end.title, end.kind, end.value, end.low, end.help) == ("End", "number", "20", 1, "Where the line ends.")
    start = field("reach-the-edge(end=21)", "start")
    assert (start.kind, start.value, start.choices[0].title) == ("place", "middle", "the middle of the line, 11")
    players = field("line-runner(players=3)", "players")
    assert (players.value, players.default, players.low, players.high) == ("3", "2", 2, 6)
    assert dict(field("line-runner", "skip").choices) == {"true": "yes", "false": "no"}
    assert field("number-reach", "operations").kind == "moves"


def test_what_losing_means_depends_on_how_many_play() -> None:
    assert dict(field("line-runner", "stuck").choices)["loses"] == "you lose the game"
    assert dict(field("line-runner(players=3)", "stuck").choices)["loses"] == "you are out"


def test_what_makes_no_game_is_refused_in_the_engines_sentence() -> None:
    with pytest.raises(nl.BookError, match="end=0: the line begins at 0, so expected 1 or more"):
        apply_settings(nl.book("line-runner"), {"end": "0"})


def test_a_setting_that_can_not_matter_is_in_the_form_but_not_changeable() -> None:
    assert not field("number-reach", "meeting").changeable
    assert field("number-reach", "overshoot").changeable


def test_a_word_of_a_books_own_is_a_place_whatever_it_is_called() -> None:
    text = 'title = "Own"\n[settings]\nline = 9\n[rules]\nline = [0, "line"]\nstart = 0\ngoal = "line"\n'
    book = book_from_toml(f'{text}moves = "forward"\nsteps = "1-2"\n', "own", source_name="own")
    each = form_view(book)[0]
    assert (each.name, each.kind, each.low) == ("line", "number", 1)


def test_rules_are_told_with_what_is_changed_in_them() -> None:
    view = rules_view(nl.book("line-runner(end=14)"))
    assert (view.title, view.changes) == ("Line Runner", "Here the line ends at 14.")
    assert view.sections[0].heading == "The line"
    assert "14" in view.sections[0].text
    assert view.opening
