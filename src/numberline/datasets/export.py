"""Datasets of solved books: every reachable unfinished position or every turn of self-play games, with move values.

A dataset is written as JSON Lines, CSV or Parquet, with a card that documents the file.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from numberline import __version__
from numberline.arena.schedule import check_game_count
from numberline.bots import Seats, play_bot_turns
from numberline.envs.observation import ObservationEncoder
from numberline.envs.text import write_prompt
from numberline.explain.rules_text import describe_rules, opening
from numberline.files.tables import import_pyarrow, write_csv_rows
from numberline.game import Book, Match, Position, format_position
from numberline.solver.arrays import NOT_FORCED, IntArray, MoveValueArrays
from numberline.solver.cache import cached_solution
from numberline.solver.index import DEFAULT_MEMORY_BYTES, Progress
from numberline.solver.worth import ENDLESS, LOSS, OPEN, WIN
from numberline.text import escape_controls

MAX_GAME_PLIES = 500
CHUNK_ROWS = 1 << 16
ILLEGAL_REGRET = -1

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ColumnData:
    """A column of a `Frame`; if `values` is two-dimensional, each row of the column is a list of fixed length."""

    values: NDArray[Any]
    categories: Sequence[str] = ()
    """If not empty, `values` are indices into these categories."""
    list_lengths: IntArray | None = None
    """The number of consecutive `values` in each row, if rows are lists of different lengths."""
    nullable: bool = False
    """Whether -1 means a missing value."""

    def to_list(self) -> list[Any]:
        """Return the column as a list of Python objects, one per row."""
        flat: list[Any] = self.values.tolist()
        if self.categories:
            flat = [self.categories[number] for number in flat]
        elif self.nullable:
            flat = [None if value == NOT_FORCED else value for value in flat]
        if self.list_lengths is None:
            return flat
        ends = self.list_lengths.cumsum().tolist()
        return [flat[end - count : end] for end, count in zip(ends, self.list_lengths.tolist(), strict=True)]


Frame = dict[str, ColumnData]
"""A chunk of a dataset: its columns by name."""


def iter_rows(frames: Iterable[Frame]) -> Iterator[Row]:
    """Yield the rows of all frames."""
    for frame in frames:
        for cells in zip(*(column.to_list() for column in frame.values()), strict=True):
            yield dict(zip(frame, cells, strict=True))


class SolvedDataset:
    """Dataset of a solved book, optionally with numeric columns for machine learning and with prompts."""

    def __init__(
        self,
        book: Book,
        *,
        memory: int = DEFAULT_MEMORY_BYTES,
        progress: Progress = lambda _: None,
        numbers: bool = False,
        prompts: bool = False,
    ) -> None:
        self.book = book
        self.solution = cached_solution(book, memory=memory, progress=progress)
        self._arrays = self.solution.arrays
        self.numbers = numbers
        self.prompts = prompts

    def positions(self) -> Iterator[Row]:
        """Yield a row for every reachable position that does not end the game."""
        return iter_rows(self.position_frames())

    def position_frames(self, progress: Progress = lambda _: None) -> Iterator[Frame]:
        """Yield the rows of `positions` in frames of at most `CHUNK_ROWS` rows."""
        positions: Any = self._arrays.positions  # each field is an array
        live = np.flatnonzero(self._arrays.live)
        keys = (*reversed(positions.tokens), positions.last, positions.out, positions.turn)
        live = live[np.lexsort([key[live] for key in keys])]
        for first in range(0, len(live), CHUNK_ROWS):
            progress(first / len(live))
            yield self._frame(live[first : first + CHUNK_ROWS])

    def game_frames(
        self, count: int, bot: str, seed: int, plies: int = MAX_GAME_PLIES, progress: Progress = lambda _: None
    ) -> Iterator[Frame]:
        """Yield frames with one row per ply of `count` self-play games; each game's seed is derived from `seed`."""
        check_game_count(count)
        moves = (*self._arrays.moves,)
        all_plies = self._iter_plies(count, bot, seed, plies, progress)
        while some := list(islice(all_plies, CHUNK_ROWS)):
            game, ply, rows, played, winner = (np.array(column) for column in zip(*some, strict=True))
            yield {
                "game": ColumnData(game.astype(np.int32)),
                "ply": ColumnData(ply.astype(np.int32)),
                **self._frame(rows),
                "played": ColumnData(played, moves),
                "winner": ColumnData(winner.astype(np.int8)),
            }

    def _iter_plies(
        self, count: int, bot: str, seed: int, plies: int, progress: Progress
    ) -> Iterator[tuple[int, int, int, int, int]]:
        """Play the games; for every ply, yield the game, ply number, position row, move index and winner."""
        number = self._arrays.number
        move_indices = {str(move): index for index, move in enumerate(self._arrays.moves)}
        with closing(Seats(self.book, [bot] * self.book.rules.players, solution=self.solution)) as seats:
            for game in range(count):
                progress(game / count)
                seats.new_game(f"{seed}/{game}")
                match = Match(self.book)
                if forfeit := play_bot_turns(match, seats, limit=plies):
                    raise forfeit
                winner = match.outcome.winner if match.outcome else 0
                for number_in_game, ply in enumerate(match.plies, 1):
                    yield game, number_in_game, number(ply.before), move_indices[ply.move], winner

    @cached_property
    def _observations(self) -> IntArray:
        """Observations of all positions, by player."""
        encoder, arrays = ObservationEncoder(self.book), self._arrays
        return np.stack([encoder.rows(arrays.positions, player, arrays.size) for player in self.book.players])

    def _frame(self, rows: IntArray) -> Frame:
        arrays, move_values = self._arrays, self._arrays.move_values_at(rows)
        mover, legal, best = arrays.mover[rows], arrays.legal[rows], move_values.best
        plies, counts = move_values.plies[legal], legal.sum(axis=1)
        values = (LOSS, ENDLESS if self.book.rules.players == 2 else OPEN, WIN)
        moves = (*arrays.moves,)
        points = arrays.points(mover, rows)
        distances = np.where(plies == NOT_FORCED, NOT_FORCED, plies + 1)
        frame = {
            "variant": ColumnData(np.zeros(len(rows), np.int8), (escape_controls(self.book.variant),)),
            "position": ColumnData(self._format_positions(rows)),
            "turn": ColumnData(mover),
            "moves": ColumnData(np.nonzero(legal)[1], moves, counts),
            "value": ColumnData(points + 1, values),
            "distance": ColumnData(arrays.plies[rows], nullable=True),
            "best": ColumnData(np.nonzero(best)[1], moves, best.sum(axis=1)),
            "move_values": ColumnData(move_values.points[legal] + 1, values, counts),
            "move_distances": ColumnData(distances, list_lengths=counts, nullable=True),
        }
        if self.numbers:
            frame |= self._numeric_columns(rows, points, move_values)
        if self.prompts:
            frame["prompt"] = ColumnData(np.array([self._prompt(int(row)) for row in rows], object))
        return frame

    def _numeric_columns(self, rows: IntArray, points: IntArray, move_values: MoveValueArrays) -> Frame:
        """Return the environments' observations, the values in points, and columns with one number per action."""
        arrays, choices = self._arrays, self._arrays.choices
        legal = arrays.legal[rows, :choices]
        return {
            "observation": ColumnData(self._observations[arrays.mover[rows] - 1, rows]),
            "action_mask": ColumnData(legal.astype(np.int8)),
            "best_actions": ColumnData(move_values.best[:, :choices].astype(np.int8)),
            "points": ColumnData(points),
            "regret": ColumnData(np.where(legal, move_values.regret[:, :choices], np.int8(ILLEGAL_REGRET))),
        }

    def _prompt(self, row: int) -> str | None:
        """Return a language-model prompt without the move history, or None if the player has no choice."""
        has_choice = self._arrays.legal[row, : self._arrays.choices].any()
        position = self._arrays.position(row)
        return write_prompt(self.book, position, None, "", rules=True, legal=True) if has_choice else None

    def _format_positions(self, rows: IntArray) -> NDArray[np.str_]:
        """Format the positions of `rows` as `format_position` does."""
        positions: Any = self._arrays.positions  # each field is an array
        tokens = [column[rows] for column in positions.tokens]
        last, out = positions.last[rows], positions.out[rows]
        text = _format_numbers(positions.turn[rows], range(1, self.book.rules.players + 1), " ")
        for token, (place, places) in enumerate(zip(tokens, self.book.token_ranges, strict=True), 1):
            text = np.char.add(text, _format_numbers(place, places, "," if token < len(tokens) else ""))
        if not (last.any() or out.any()):
            return text
        masks = 1 << self.book.rules.players
        keys, key_index = np.unique(last * masks + out, return_inverse=True)
        endings = [format_position(Position(1, (0,), *divmod(key, masks)))[3:] for key in keys.tolist()]
        return np.char.add(text, np.array(endings)[key_index])


def _format_numbers(numbers: IntArray, possible: range, end: str) -> NDArray[np.str_]:
    texts: NDArray[np.str_] = np.array([f"{number}{end}" for number in possible])[numbers - possible.start]
    return texts


# File formats

FrameWriter = Callable[[Iterable[Frame], IO[bytes], Book], int]
"""A function that writes frames to a file and returns the number of rows."""


def write_jsonl(frames: Iterable[Frame], file: IO[bytes], _: Book) -> int:
    """Write each row as a line of JSON."""
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    count = 0
    for row in iter_rows(frames):
        file.write(f"{encode(row)}\n".encode())
        count += 1
    return count


def write_csv(frames: Iterable[Frame], file: IO[bytes], _: Book) -> int:
    """Write a header line, then one line per row."""
    return write_csv_rows(iter_rows(frames), file)


def write_parquet(frames: Iterable[Frame], file: IO[bytes], book: Book) -> int:
    """Write a Parquet file whose metadata names the variant; requires the `data` extra."""
    pa, parquet = import_pyarrow()
    writer, count = None, 0
    with ExitStack() as stack:
        for frame in frames:
            columns = {name: _to_arrow(pa, column) for name, column in frame.items()}
            table = pa.table(columns, metadata=_file_metadata(book))
            writer = writer or stack.enter_context(parquet.ParquetWriter(file, table.schema))
            writer.write_table(table)
            count += table.num_rows
    return count


def _file_metadata(book: Book) -> dict[str, str]:
    metadata = {"numberline.variant": escape_controls(book.variant), "numberline.version": __version__}
    return {**metadata, "numberline.book": book.source} if book.source else metadata


def _to_arrow(pa: Any, column: ColumnData) -> Any:
    values = column.values
    if values.ndim == 2:
        return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1])
    if column.categories:
        flat = pa.array(column.categories).take(pa.array(values))
    elif values.dtype.kind == "O":
        flat = pa.array(values, pa.string())
    else:
        flat = pa.array(values, mask=values < 0 if column.nullable else None)
    if column.list_lengths is None:
        return flat
    return pa.ListArray.from_arrays(pa.array(np.append(0, column.list_lengths.cumsum()).astype(np.int32)), flat)


FORMATS: dict[str, FrameWriter] = {"jsonl": write_jsonl, "csv": write_csv, "parquet": write_parquet}


# Dataset card

CARD_TEMPLATE = Path(__file__).with_name("card_template.md").read_text("utf-8")
COLUMN_DESCRIPTIONS: dict[str, str] = tomllib.loads(Path(__file__).with_name("columns.toml").read_text("utf-8"))


def dataset_card(book: Book, file: Path, count: int, columns: Iterable[str], command: str, *, games: bool) -> str:
    """Return the Markdown card for a dataset: how it was generated, its columns, the rules and the actions."""
    actions = ", ".join(f"`{move}`" for move in book.choices)
    text = CARD_TEMPLATE.format(
        name=_yaml_string(book.title),
        data=_yaml_string(file.name),
        book=book,
        file=file,
        rows=f"{count:,} {'turns' if games else 'positions'}",
        about=opening(book),
        version=__version__,
        command=command,
        what="Each row is one turn of a game, so a position may occur several times."
        if games
        else "Each row is a reachable position in which the game is not over.",
        columns="\n".join(f"| `{name}` | {COLUMN_DESCRIPTIONS[name]} |" for name in columns),
        rules="\n".join(f"- {part.heading}: {part.text}" for part in describe_rules(book)),
        actions=f"Action 0 is the move `{book.choices[0]}`; all actions in order: {actions}.",
    )
    return escape_controls(text)


def _yaml_string(text: str) -> str:
    return json.dumps(escape_controls(text), ensure_ascii=False)
