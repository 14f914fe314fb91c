"""The file with a player's progress: the name, and the results of games at a terminal."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from datetime import UTC, datetime

import pytest

import numberline as nl
from numberline.game.notation import format_record
from numberline.progress.document import Game, Progress, export_text, import_text
from numberline.terminal import progress, saves
from numberline.terminal.series import Participant, Series, SeriesOptions
from support.commands import numberline
from support.progress import game, store
from terminal.test_board import at_a_terminal, code

MOVE, CHOICE = "Enter your move", "Your choice"


def test_menu_shows_the_most_stars_against_each_character() -> None:
    store(game(bot="easy"), game(bot="hard", mistakes=1), game(bot="master", won=False))
    said = numberline(typed="1\nflag\nquit\n").out
    assert "thinks later. ★★★\n" in said
    assert "tricks coming. ★★☆\n" in said
    assert said.count("★") == 5


def test_progress_is_shown_exported_and_imported() -> None:
    store(game(won=True, step="flag-chase-1", day=progress.today()))
    assert numberline("progress", "--name", "  Ada ").out.startswith(
        "Hello, Ada! You have 3 stars.\nGames: 1 won of the"
    )
    text = numberline("progress", "--export").out
    assert json.loads(numberline("progress", "--json").out)["ladder"] == {"flag-chase-1": 3}
    before = progress.load_progress()
    assert import_text(text) == before
    progress.progress_file().unlink()
    assert numberline("progress", "--import", "-", typed=f"{text[:50]}\n{text[50:]}").code == 0
    assert progress.load_progress() == before


def test_text_longer_than_a_line_of_the_terminal_can_be_pasted() -> None:
    moment = "".join(map(chr, random.Random(1).choices(range(0x4E00, 0x9FFF), k=3000)))
    text = export_text(Progress(games=(Game(moment=moment),)))
    assert len(text) > 4096
    with at_a_terminal("progress", "--import", "-") as terminal:
        terminal.expect_exact("Paste the text, then press Enter: ")
        terminal.send(f"{text}\r")
        terminal.expect_exact("Games: 0 won of the last 1.")


def test_bad_import_is_an_error_and_changes_nothing() -> None:
    store(game())
    before = progress.progress_file().read_bytes()
    for text, problem in (("hello", "must start with numberline1-"), ("numberline1-abc", "damaged or incomplete")):
        ran = numberline("progress", "--import", text)
        assert (ran.code, problem in ran.err) == (2, True)
    assert numberline("progress", "--name", "x" * 41).code == 2
    assert progress.progress_file().read_bytes() == before


@pytest.mark.parametrize("arguments", [("--name", "Bo"), ("--import", export_text(Progress()))])
def test_change_that_cannot_be_saved_is_an_error(arguments: tuple[str, str]) -> None:
    folder = progress.progress_file().parent
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("a file where a folder should be")
    ran = numberline("progress", *arguments)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.endswith("; could not save your progress.\n")


def test_unreadable_progress_is_not_exported() -> None:
    progress.progress_file().mkdir(parents=True)
    ran = numberline("progress", "--export")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.endswith("; your progress could not be read and was left unchanged.\n")


def test_imported_games_can_be_listed_and_reviewed() -> None:
    match = nl.Match(nl.book("flag-chase"), names=("Ada", "Fox"))
    for move in ("3", "2", "2"):
        match.play(move)
    event = game(id="kX-3_q-1")
    event = replace(event, game=replace(event.game, record=format_record(match), moment="Move 2 decided."))
    store(event)
    text = numberline("progress", "--export").out
    progress.progress_file().unlink()
    numberline("progress", "--import", text)
    listed = numberline("games").out
    assert listed == "1. Flag Chase against the fox, 31 Jan: you won ★★★. Move 2 decided.\n"
    assert "Ada won after 3 turns." in numberline("review", "1").out
    [report] = json.loads(numberline("games", "--json").out)
    assert (report["won"], report["stars"], report["opponent"]) == (True, 3, "Fox")


def test_saved_games_are_described_from_the_players_side() -> None:
    book = nl.book("flag-chase(flag=9)")
    options = SeriesOptions(book=book, participants=(Participant("Ada"), Participant("Fox", "hard")))
    saved = saves.SavedGame(progress.data_dir(), datetime(2020, 11, 12, 12, tzinfo=UTC), Series(options))
    assert str(saved) == "Flag Chase (goal at 9) against the fox, your turn, 12 Nov 2020"


@pytest.mark.parametrize("typed", ["quit", "back"])
def test_question_for_the_name_can_be_quit(typed: str) -> None:
    progress.data_dir().mkdir(parents=True)
    progress.progress_file().write_text('{"version": 1}')  # the player wasn't asked yet
    with at_a_terminal("play", "flag-chase", "--vs", "easy") as terminal:
        terminal.expect_exact("What's your name? (Enter to skip)")
        terminal.sendline(typed)
        assert code(terminal) == 0


def test_name_is_asked_once_and_the_menu_greets() -> None:
    progress.data_dir().mkdir(parents=True)
    progress.progress_file().write_text('{"version": 1}')  # the player wasn't asked yet
    with at_a_terminal() as terminal:
        for name in ("?", "undo"):
            terminal.expect_exact("What's your name? (Enter to skip)")
            terminal.sendline(name)
            terminal.expect_exact(f"'{name}' can't be a name here. Type another one, or press Enter.")
        terminal.expect_exact("What's your name? (Enter to skip)")
        terminal.sendline("Ada")
        terminal.expect_exact("To change your name later, type: numberline progress --name NAME\r\n\r\n")
        terminal.expect_exact("Hello, Ada! What would you like to do?")
        terminal.expect_exact(CHOICE)
        terminal.sendline("quit")
    with at_a_terminal("play", "flag-chase", "--vs", "easy", "--first", "1", "--fast") as terminal:
        terminal.expect_exact(MOVE)
        assert "your name" not in str(terminal.before)
        terminal.sendline("resign")
        terminal.expect_exact("Give up this game? (y/n) ")
        terminal.sendline("n")
        terminal.expect_exact(MOVE)
        terminal.sendline("resign")
        terminal.expect_exact("Give up this game? (y/n) ")
        terminal.sendline("y")
        terminal.expect_exact(CHOICE)
        terminal.sendline("another")
        terminal.expect("Hello, .*Ada.*! What would you like to do\\?")  # the name has a colour
        terminal.expect_exact("My games")
        terminal.expect_exact(CHOICE)
        terminal.sendline("my games")
        terminal.expect_exact("1. Flag Chase against the rabbit, ")
        terminal.expect_exact("you lost")
        terminal.sendline("1")
        terminal.expect_exact("Move 0 of 1 (Enter for next, back, play from here, or stop): ")
        terminal.sendline("quit")
        terminal.expect_exact("Which game (1-1, ")
        terminal.sendline("quit")
        terminal.expect_exact(CHOICE)
    [played] = progress.load_progress().games
    assert (played.opponent, played.won, "player 1: Ada\n" in played.record) == ("Rabbit", False, True)


def test_hint_costs_a_star_and_the_level_stays() -> None:
    with at_a_terminal("play", "flag-chase(flag=3)", "--vs", "auto", "--first", "1", "--fast") as terminal:
        terminal.expect_exact(MOVE)
        terminal.sendline("hint")
        terminal.expect_exact(MOVE)
        terminal.sendline("3")
        terminal.expect_exact(CHOICE)
        terminal.sendline("quit")
        terminal.expect_exact("quit")
    stored = progress.load_progress()
    assert (stored.games[0].won, stored.games[0].stars, stored.levels) == (True, 2, {})
