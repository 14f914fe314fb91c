"""Interactive lessons and puzzles: questions about a position, answered with a move, with places or with a word."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice

from numberline.errors import MoveError
from numberline.explain.lesson import Lesson, LessonStep
from numberline.explain.puzzle import Puzzle, PuzzlePool, SolvedPuzzle, daily_puzzles
from numberline.explain.queries import AnalysisError
from numberline.explain.rules_text import announce_changes, describe_play
from numberline.explain.strip import ASKED, NO, YES, PaintQuestion, Strip
from numberline.explain.worksheet import Exercise, feedback
from numberline.game.book import Book
from numberline.game.match import Match, parse_legal_move
from numberline.game.move_text import legal_moves_sentence
from numberline.game.notation import format_position
from numberline.game.position import Position
from numberline.progress.document import Progress
from numberline.progress.events import LessonFinished, PuzzleAnswered, apply
from numberline.progress.rules import draw_stars
from numberline.solver.solution import Solution
from numberline.terminal.console import EndOfInput, TextConsole
from numberline.terminal.progress import load_progress, record_event, today, update_progress
from numberline.terminal.prompt import BACK, HELP, QUIT, Command, MatchPrompt, Quit, ask, match_word
from numberline.text import join_and, join_or, pluralize
from numberline.views.board import position_view
from numberline.views.exercises import MAX_TRIES, AnswerView, answer_view, nudge, parse_puzzle

_SKIPPED = ""
_STARS = "You can earn three stars: one for finishing, one without hint and skip, and one without a mistake."
_EXERCISE_BAR = "┃ "
"""Bar drawn to the left of a board on which the player is asked for a move, but not next to example boards."""


class _Jump(Exception):
    """Raised to go a number of steps forwards in a lesson; 0 repeats the current step."""


class _PositionPrompt(MatchPrompt):
    """Prompt for one move in a position; `redraw(text)`, if given, shows a new screen with the board and `text`."""

    def __init__(self, screen: TextConsole, match: Match, redraw: Callable[[str], None] | None) -> None:
        super().__init__(match, screen)
        self._redraw = redraw
        self._text = ""
        self._skip = "next" if "skip" in self.match.moves else "skip"  # `skip` is a move in some variants
        self.commands |= {
            "hint": Command("a hint (ask again for the move)", self.hint),
            "rules": Command("the rules of this game", partial(self._show_long, self.rules)),
            HELP: Command("", partial(self._show_long, self.help)),
            self._skip: Command("skip this question", lambda: _SKIPPED),
        }

    def answer(self, text: str) -> str:
        """Show `text` and ask until a legal move is entered; return the move, or `_SKIPPED` if the player skips.

        Raise `Quit` if the player quits, and `EndOfInput` at the end of the input.
        """
        self.show(text)
        read = partial(parse_move_or_place, self.match.book, self.match.position)
        return self.ask(f"Your move (or hint, {self._skip}, quit): ", read)

    def answer_strip(self, solution: Solution, puzzle: Puzzle, text: str) -> str:
        """Show `text` and ask which cells of the puzzle's strip are traps; otherwise like `answer`."""
        self.commands["hint"] = Command("a hint", partial(self.screen.say, f"{nudge(solution, puzzle)}\n"))
        self.show(text)
        such = "such as {} {}".format(*puzzle.places)
        self.expected = f"the places, separated by spaces, {such}, or none if there is no trap"
        question = f"Your traps, {such} (or none, hint, {self._skip}, quit): "
        return self.ask(question, partial(puzzle.parse_answer, solution))

    def show(self, text: str) -> None:
        """Show the position and the question."""
        self._text = text
        self.board()
        if self._redraw is None:
            self.screen.say(f"{text}\n")

    def board(self, caption: str = "") -> None:
        if self._redraw:
            self._redraw(self._text)
        else:
            super().board(caption)

    def _show_long(self, show: Callable[[], None]) -> None:
        """Print a long text; if the screen is about to be redrawn, first wait until the player has read it."""
        show()
        if self._redraw:
            ask(self.screen, "\nPress Enter (or quit): ", str, back_quits=False)


def parse_move_or_place(book: Book, position: Position, typed: str) -> str:
    """Return the legal move given by `typed`: the move itself, or a place on which exactly one legal move lands.

    A number that is one of the book's steps is never read as a place. Raise `MoveError` if there is no such move.
    """
    try:
        return parse_legal_move(book, position, typed)
    except MoveError:
        text, steps = typed.strip(), {move.rpartition(":")[2].lstrip("+LR") for move in book.choices}
        lands = [choice.move for choice in position_view(book, position).legal if str(choice.lands) == text]
        if text in steps or len(lands) != 1:
            raise
        return lands[0]


class _ExerciseRun:
    """Base class for runs through lessons and puzzles, with the screens that they share."""

    def __init__(self, screen: TextConsole) -> None:
        self.screen = screen
        self._heading = ""
        self._draws = screen.draws and not screen.plain
        self._commands: dict[str, Command] = {}

    def _show_screen(self, book: Book, position: Position, text: str, strip: Strip | None, bar: str = "") -> None:
        """Show a new screen with heading, board, strip and text; if the console doesn't draw, print only the text."""
        if self._draws:
            self.screen.clear()
            self.screen.say(self._heading)
            lines = MatchPrompt(Match(book, start=position), self.screen).board_lines(strip, len(bar))
            self.screen.draw([type(line)(bar, "bold yellow").append_text(line) for line in lines])
            self.screen.say(f"{strip.legend}\n\n" if strip and strip.legend else "\n")
        self.screen.say(f"{text}\n")

    def _pause(self) -> None:
        if self.screen.interactive:
            ask(self.screen, f"\nPress Enter (or {', '.join([*self._commands, 'quit'])}): ", str, self._commands)
        self.screen.say("" if self._draws else "\n")


class LessonRun(_ExerciseRun):
    """One run through a lesson: each step asks about places, paints them, explains the answers and asks for a move."""

    def __init__(self, screen: TextConsole, solution: Solution) -> None:
        super().__init__(screen)
        self.solution = solution
        self.first_tries: dict[PaintQuestion[Position] | Exercise, bool] = {}
        """Whether each question was answered correctly on the first try."""
        self.helped = False
        self._strip: Strip | None = None
        self._has_input = True
        self._commands = {
            "again": Command("this step again", partial(self._jump, 0)),
            BACK: Command("one step back", partial(self._jump, -1)),
        }

    def teach(self, lesson: Lesson) -> bool:
        """Go through the steps until the end, or until the player quits; return whether the player wants a game."""
        steps, number = lesson.steps, 1
        self.screen.say(f"{self.solution.book.full_title}, in {len(steps)} steps\n\n")
        try:
            if self.screen.draws:
                ask(self.screen, f"{_STARS}\n\nPress Enter (or quit): ", str)
            while number <= len(steps):
                self._heading = f"Step {number} of {len(steps)}: {steps[number - 1].title}\n\n"
                self._strip = steps[max(0, number - 2)].strip
                try:
                    self._step(steps[number - 1])
                    number += 1
                except _Jump as jump:
                    number = max(1, number + jump.args[0])
            self.screen.clear()
            self._report(lesson, done=True)
            if self.screen.draws:
                self.screen.say(f"\n{lesson.secret}\n")
                question = f"\n{lesson.game.invitation}\nPress Enter to play, or type no: "
                return ask(self.screen, question, partial(match_word, (YES, NO), others=[QUIT], default=YES)) == YES
        except (Quit, EndOfInput):
            if number <= len(steps):
                self._report(lesson, done=False)
        return False

    def _report(self, lesson: Lesson, *, done: bool) -> None:
        """Say how many answers were right on the first try; if the lesson is finished, record it and show its stars."""
        right, asked = sum(self.first_tries.values()), len(self.first_tries)
        ending = "That was the lesson." if done else "The lesson ends here."
        self.screen.say(f"\n{ending}{f' You got {right} of {asked} right on the first try.' if asked else ''}\n")
        if done and asked and self._has_input:
            changes = record_event(LessonFinished(today(), lesson.variant, self.helped, asked - right))
            self.screen.say("".join(f"{text}\n" for text in (draw_stars(changes.stars), *changes.sentences)))

    def _step(self, step: LessonStep) -> None:
        """Ask the step's questions, then explain, then ask for a move."""
        if not self._draws:
            self.screen.say(self._heading)
        for asked in step.questions:
            self._paint(asked)
        self._strip = step.strip
        if step.questions and not self._draws:
            self.screen.say(f"{step.strip}\n\n")
        for text in step.text.split("\n\n"):
            self._show(step.position, text)
            self._pause()
        if step.exercise:
            self._exercise(step.exercise)

    def _show(self, position: Position, text: str, bar: str = "") -> None:
        is_painted = self._strip and any(cell.mark for cell in self._strip.cells)
        self._show_screen(self.solution.book, position, text, self._strip if is_painted else None, bar)

    def _jump(self, offset: int) -> None:
        raise _Jump(offset)

    def _paint(self, asked: PaintQuestion[Position]) -> None:
        """Ask about a cell, then paint it and explain the answer."""
        typed, options = _SKIPPED, asked.options

        commands = self._commands | {"skip": Command("skip this question", lambda: _SKIPPED)}
        legal = position_view(self.solution.book, asked.position).legal
        leads = dict.fromkeys(choice.wanted for choice in legal if choice.wanted is not None)
        hint = f"Your moves lead to {join_and([*leads])}.\n" if leads else "You can't move here.\n"
        commands |= {"hint": Command("", partial(self.screen.say, hint))}
        self._strip = asked.strip.paint(asked.cell._replace(mark=ASKED))
        self._show(asked.position, asked.question)
        if self._has_input:
            prompt = f"Your answer ({join_or([*options, 'hint'])}): "
            read = partial(match_word, options, others=[*commands, QUIT])
            typed = self._ask(lambda: ask(self.screen, prompt, read, commands, options))
            self._count(asked, right=typed == asked.paint, helped=typed == _SKIPPED)
        self._strip = asked.strip.paint(asked.cell)
        verdict = "Right!" if typed == asked.paint else f"The answer is {asked.paint}."
        self._show(asked.position, f"{verdict} {asked.text}")
        self._pause()

    def _count(self, asked: PaintQuestion[Position] | Exercise, *, right: bool, helped: bool) -> None:
        """Record whether the first answer to a question was right, and whether the player needed help."""
        if self._has_input:
            self.first_tries.setdefault(asked, right)
            self.helped |= helped

    def _exercise(self, exercise: Exercise) -> None:
        """Ask for a move up to `MAX_TRIES` times; show the answer unless one of the tries is right."""
        book, text = self.solution.book, exercise.question
        repeated = f"\n{text}" if self._draws else ""
        redraw = partial(self._show, exercise.position, bar=_EXERCISE_BAR) if self._draws else None
        prompt = _PositionPrompt(self.screen, Match(book, start=exercise.position), redraw)
        prompt.commands |= {word: each for word, each in self._commands.items() if word not in prompt.match.moves}
        if not self._has_input:
            prompt.show(text)
        for _ in range(MAX_TRIES * self._has_input):
            move = self._ask(partial(prompt.answer, text))
            self._count(exercise, right=move in exercise.right, helped=prompt.coach.hinted_at == 0 or move == _SKIPPED)
            if move == _SKIPPED:
                break
            text = feedback(self.solution, exercise, move)
            if move in exercise.right:
                self._show(book.after(exercise.position, move), text)
                self._pause()
                return
            if not self._draws:
                self.screen.say(f"{text}\n")
            text = f"{text if self._draws else ''}\nTry once more.{repeated}".lstrip()
        self._show(exercise.position, f"Here is the answer. {exercise.answer}")
        self._pause()

    def _ask(self, ask_once: Callable[[], str]) -> str:
        """Return the answer; after the end of piped input, skip this and all later questions."""
        try:
            return ask_once()
        except EndOfInput:
            if self.screen.interactive:
                raise
            self._has_input = False
            return _SKIPPED


class PuzzleRun(_ExerciseRun):
    """One run through a number of puzzles; `stats` also includes earlier runs."""

    def __init__(self, screen: TextConsole) -> None:
        super().__init__(screen)
        self.stats = load_progress().puzzles
        self.asked = self.solved = 0
        self._day: dt.date | None = None
        self._total = ""

    def ask_all(self, pool: PuzzlePool, count: int | None, *, by_rating: bool) -> None:
        """Present up to `count` puzzles from the pool; with `by_rating`, choose puzzles near the player's rating."""
        puzzles = iter(lambda: pool.draw(self.stats.rating), None) if by_rating else pool
        self._run((("", each) for each in puzzles), count)

    def ask_own(self, puzzles: Sequence[tuple[str, SolvedPuzzle]]) -> None:
        """Present puzzles from the player's own games, each with an introduction."""
        if not puzzles:
            raise AnalysisError("there are no puzzles from your games yet: they come from mistakes in lost games")
        self._total = f" of {len(puzzles)}"
        self._run(puzzles, len(puzzles))

    def ask_daily(self, day: dt.date) -> None:
        """Present the puzzles for `day`; puzzles already answered that day aren't counted again."""
        puzzles = daily_puzzles(day)
        date = f"{day.day} {day:%B %Y}"
        self.screen.say(f"The daily five for {date}: the same for everyone, one for each game, easiest first.\n")
        self._day = day
        before = sum(result is not None for result in self.stats.daily_results(day))
        if before:
            self.screen.say(f"You've already answered {before} of {len(puzzles)} today. They won't count again.\n")
        self._total = f" of {len(puzzles)}"
        self._run((("", each) for each in puzzles), len(puzzles))
        if line := self.stats.share_line(day):
            self.screen.say(f"To share: {line}\n")

    def _run(self, puzzles: Iterable[tuple[str, SolvedPuzzle]], count: int | None) -> None:
        try:
            if self._day and self._draws:
                self._pause()
            for intro, (solution, puzzle) in islice(puzzles, count):
                self._ask(solution, puzzle, intro)
            if not self.asked:
                raise AnalysisError("there are no puzzles here: every move is as good as any other")
            if count is None or self.asked < count:
                self.screen.say("\nThat was the last one. There are no more puzzles here.\n")
        except (Quit, EndOfInput):
            pass
        self.screen.say(f"\n{self.summary()}\n")

    def _ask(self, solution: Solution, puzzle: Puzzle, intro: str) -> None:
        """Present one puzzle with two tries and show the result; a `trap` puzzle continues until the player has won."""
        book, tries, helped = solution.book, 1, False
        title = f"{book.title}, {puzzle.theme_title.lower()} {draw_stars(puzzle.stars)}"
        rules = "\n".join(filter(None, [announce_changes(book), describe_play(book)]))
        self._heading = f"Puzzle {self.asked + 1}{self._total}: {title}\n{rules}\n"
        asked = puzzle.question(solution)
        text = f"{intro}\n{asked}".lstrip()
        at = puzzle
        if not self._draws:
            self.screen.say(f"\n{self._heading}\n")
        while True:
            answer, shown_move = self._read(solution, at, text)
            helped |= shown_move
            result = answer_view(solution, format_position(at.position), answer, theme=puzzle.theme, tries=tries)
            if result.done:
                break
            if result.next:
                text = asked = " ".join(["Good!", *(step.text for step in result.steps[1:]), result.question])
                at = parse_puzzle(solution, result.next.position, puzzle.theme)
                continue
            tries += 1
            text = f"{result.verdict} {result.text} Try once more."
            text += f"\n{asked.replace('Good! ', '')}" if self._draws else ""
        self._count(puzzle, right=result.right and not helped, tries=tries)
        self._show_result(solution, at, result, helped=helped)

    def _read(self, solution: Solution, puzzle: Puzzle, text: str) -> tuple[str, bool]:
        """Return the player's answer (or `_SKIPPED`), and whether a hint revealed the move."""
        redraw = partial(self._show, solution, puzzle) if self._draws else None
        prompt = _PositionPrompt(self.screen, Match(solution.book, start=puzzle.position), redraw)
        if puzzle.places:
            return prompt.answer_strip(solution, puzzle, text), False
        return prompt.answer(f"{text}\n{legal_moves_sentence(prompt.match.moves)}"), prompt.coach.move_revealed_at == 0

    def _show(self, solution: Solution, puzzle: Puzzle, text: str, *, painted: bool = False) -> None:
        strip = puzzle.strip(solution, painted=painted) if puzzle.places else None
        self._show_screen(solution.book, puzzle.position, text, strip)

    def _count(self, puzzle: Puzzle, *, right: bool, tries: int) -> None:
        event = PuzzleAnswered(today(), right, puzzle.rating, self._day, self.asked, puzzle.stars, tries)
        self.asked += 1
        self.solved += right
        stored = update_progress(lambda progress: apply(progress, event)[0])
        self.stats = (stored or apply(Progress(puzzles=self.stats), event)[0]).puzzles

    def _show_result(self, solution: Solution, puzzle: Puzzle, result: AnswerView, *, helped: bool) -> None:
        """Show whether the answer is right and why, the streak and the stars, on the same screen as the puzzle."""
        verdict = result.verdict
        if result.right and helped:
            verdict = "Right! But the hint showed you the move, so this puzzle doesn't count."
        if result.right and not puzzle.places:
            puzzle = puzzle._replace(position=solution.book.after(puzzle.position, result.steps[0].move))
        streak = f"Streak: {self.stats.streak} solved in a row (best: {self.stats.best_streak})."
        text = f"{verdict} {result.text}\n{streak} Your stars from puzzles: {self.stats.stars}."
        self._show(solution, puzzle, text, painted=True)
        if self._draws:
            self._pause()

    def summary(self) -> str:
        """Return sentences with the results of this run and of all runs."""
        stats = self.stats
        overall = f"Overall: {stats.solved} of {stats.asked} solved, best streak {stats.best_streak}, "
        overall += f"{pluralize(stats.stars, 'star')}."
        if not self.asked:
            return "You didn't answer any puzzles." + f"\n{overall}" * bool(stats.asked)
        return f"Solved {self.solved} of {self.asked}.\n{overall}"
