"""Text environments for language models."""

from __future__ import annotations

import pickle

import pytest

import numberline as nl
from numberline.arena import Entrant, Tournament, run
from numberline.bots import Forfeit
from numberline.envs import TextEnv, TextPlayer
from numberline.envs.text import MAX_ANSWER_CHARS, AnswerCounts, Responder, TextStep, read_answer
from numberline.explain.rules_text import describe_rules
from support.language_models import Chatter
from support.variants import EVERY


@pytest.mark.parametrize("variant", EVERY)
def test_games_agree_with_match(variant: str) -> None:
    book = nl.book(variant)
    env = TextEnv(book, seat="alternate", max_plies=60)
    for game in range(2):
        turn = env.play(Chatter(game), seed=game if game == 0 else None)
        again = nl.Match(book)
        for ply in env.match.plies:
            again.play(ply.move)
        assert again.outcome == env.match.outcome
        assert turn.terminated == (again.outcome is not None)
        assert turn.truncated == (again.outcome is None)
        won = again.outcome and again.outcome.winner == env.seat
        assert turn.reward == (0 if again.outcome is None else 1 if won else -1)
        assert turn.info["tally"] == AnswerCounts(turn.info["tally"].answers, 0, 0)


@pytest.mark.parametrize(
    ("answer", "move"),
    [
        ("[3]", "3"),
        ("I think about [1], but [ +2 ] is better.", "2"),
        ("[2] [as said before] [see note]", "2"),
        ("[[3]]", "3"),
        ("[1][2][3]\n\n[]", "3"),
    ],
)
def test_last_move_in_brackets_is_the_answer(answer: str, move: str) -> None:
    book = nl.book("flag-chase")
    assert read_answer(book, book.start(), answer) == move


@pytest.mark.parametrize("answer", ["", "3", "(3)", "[three]", "[3", "3]", "[x] [?]", "[\n]"])
def test_answer_without_move_in_brackets_is_unreadable(answer: str) -> None:
    book = nl.book("flag-chase")
    with pytest.raises(nl.UnreadableMove, match="there is no move in square brackets"):
        read_answer(book, book.start(), answer)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [("[4]", "not a move in this game"), ("[pass]", "you lose a turn only when you have no move")],
)
def test_move_against_the_rules_is_illegal(answer: str, reason: str) -> None:
    book = nl.book("flag-chase")
    with pytest.raises(nl.IllegalMove, match=reason):
        read_answer(book, book.start(), answer)


@pytest.mark.parametrize("answer", [None, 3, b"[3]", ["[3]"]])
def test_answer_that_is_not_text_is_unreadable(answer: object) -> None:
    env = TextEnv("flag-chase", opponent="greedy")
    env.reset(seed=1)
    turn = env.step(answer)
    assert (turn.info["mistake"], turn.info["tally"]) == ("the answer is not text", AnswerCounts(1, 1, 0))
    player = TextPlayer(lambda _: answer, env.book, name="mute")
    with pytest.raises(Forfeit, match="mute forfeits: it gave no legal move in 3 answers: the answer is not text"):
        player.choose(env.book.start())


def test_only_end_of_very_long_answer_is_read() -> None:
    book = nl.book("flag-chase")
    assert read_answer(book, book.start(), "[2]" + "[]" * (MAX_ANSWER_CHARS // 2) + "[1]") == "1"
    assert read_answer(book, book.start(), "[2]" + "." * (MAX_ANSWER_CHARS - 3)) == "2"
    with pytest.raises(nl.UnreadableMove):
        read_answer(book, book.start(), "[2]" + "." * (MAX_ANSWER_CHARS - 2))


def test_repeated_text_in_brackets_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    book = nl.book("flag-chase")
    read: list[str] = []

    def reading(_: nl.Book, text: str, __: nl.Position) -> str:
        read.append(text)
        raise nl.UnreadableMove(text)

    monkeypatch.setattr(nl.Book, "read", reading)
    with pytest.raises(nl.UnreadableMove):
        read_answer(book, book.start(), "[][well]" * 1_000_000)
    assert read == ["well", ""]


def test_moves_are_read_in_every_books_notation() -> None:
    sprint, two = nl.book("number-line-sprint"), nl.book("line-runner(tokens=2)")
    assert read_answer(sprint, sprint.start(), "[ r 2 ]") == "R2"
    assert read_answer(two, two.start(), "[2:3]") == "2:3"
    assert read_answer(nl.book("number-reach"), nl.book("number-reach").start(), "[x2]") == "*2"


def test_prompt_has_rules_history_position_and_legal_moves() -> None:
    env = TextEnv("reach-the-edge", opponent="greedy")
    env.reset(seed=1)
    prompt = env.step("[1]").prompt
    assert prompt.startswith("You are playing Reach the Edge. You are Player 1.\n")
    for section in describe_rules(env.book):
        assert f"{section.heading}: {section.text}\n" in prompt
    assert "The moves so far\n1. Player 1: 1\n2. Player 2: 3\n" in prompt
    assert "10(X)" in prompt
    assert "Not allowed now: a step of 3, which was just chosen." in prompt
    assert "You can play 1 or 2.\n" in prompt
    assert prompt.endswith("answer with your move in square brackets, written like [1].\n")


def test_each_part_of_a_prompt_can_be_left_out() -> None:
    env = TextEnv("flag-chase", rules=False, legal=False, history=False)
    prompt = env.reset(seed=1)
    assert "The rules" not in prompt
    assert "You can play" not in prompt
    assert "The moves so far" not in prompt
    assert "The position" in prompt
    wrong = env.step("[7]")
    assert "You can play" not in wrong.prompt
    assert "Your last answer does not count: '7' is not a move in this game; tries left: 2." in wrong.prompt


def test_mistakes_are_counted_and_too_many_lose() -> None:
    env = TextEnv("flag-chase", opponent="greedy", tries=2)
    env.reset(seed=1)
    wrong, right = {"move": "", "mistake": "there is no move in square brackets"}, {"move": "1", "mistake": ""}
    assert env.step("hm").info == wrong | {"forfeit": "", "tally": AnswerCounts(1, 1, 0)}
    assert env.step("[1]").info == right | {"forfeit": "", "tally": AnswerCounts(2, 1, 0)}
    assert env.step("[9]").info["tally"] == AnswerCounts(3, 1, 1)
    turn = env.step("[9]")
    assert (turn.reward, turn.terminated, turn.truncated) == (-1.0, True, False)
    assert turn.info["tally"] == AnswerCounts(4, 1, 2)
    assert turn.info["forfeit"] == "no legal move in 2 answers"
    assert turn.prompt.endswith("Player 1 resigned. Player 2 wins. (no legal move in 2 answers)\n")
    assert [ply.move for ply in env.match.plies] == ["1", "3", "resign"]
    assert env.step("[1]").terminated


def test_game_of_three_continues_after_forfeit() -> None:
    env = TextEnv("number-reach(players=3)", tries=1)
    env.reset(seed=1)
    turn = env.step("no idea")
    assert (turn.reward, turn.terminated) == (-1.0, True)
    assert env.match.outcome
    assert env.match.outcome.winner in {2, 3}


def test_oracle_reports_regret_of_a_move() -> None:
    env = TextEnv("flag-chase", oracle=True)
    env.reset(seed=1)
    assert env.step("[1]").info["regret"] == 2
    env.reset(seed=1)
    assert (env.step("[3]").info["regret"], env.step("[9]").info["regret"]) == (0, 0)


def test_game_is_truncated_at_ply_limit() -> None:
    env = TextEnv("number-line-sprint", opponent="random", max_plies=2)
    env.reset(seed=1)
    turn: TextStep = env.step("[L1]")
    assert (turn.reward, turn.terminated, turn.truncated) == (0.0, False, True)
    assert turn.prompt.endswith("The game was stopped.\n")


def test_seeds_reproduce_every_prompt() -> None:
    def prompts() -> list[str]:
        env, model = TextEnv("line-runner", opponent="level:3", seat="alternate"), Chatter(4)
        seen: list[str] = []

        def ask(prompt: str) -> str:
            seen.append(prompt)
            return model(prompt)

        for game in range(4):
            env.play(ask, seed=game)
        return seen

    assert prompts() == prompts()


def test_text_player_can_take_any_seat() -> None:
    book = nl.book("line-runner(tokens=2, end=4)")
    models = [TextPlayer(Chatter(seed), book) for seed in (1, 2)]
    match = nl.Match(book)
    while not match.outcome:
        forced = match.moves[0] == "pass"
        match.play("pass" if forced else models[match.turn - 1].choose(match.position))
    answers = [model.tally.answers for model in models]
    assert sum(answers) == sum(ply.chosen for ply in match.plies)
    env = TextEnv(book, opponent=models[0])
    assert env.play(Chatter(3)).terminated


def test_player_without_legal_move_is_told_why_and_forfeits() -> None:
    prompts: list[str] = []

    def ask(prompt: str) -> str:
        prompts.append(prompt)
        return "[8]"

    player = TextPlayer(ask, nl.book("flag-chase"), name="mule", tries=2)
    with pytest.raises(
        Forfeit, match=r"mule forfeits: it gave no legal move in 2 answers: '8' is not a move in this game"
    ):
        player.choose(player.book.start())
    assert player.tally == AnswerCounts(2, 0, 2)
    assert "does not count: '8' is not a move in this game." in prompts[1]
    env = TextEnv("flag-chase", opponent=player)
    env.reset(seed=1)
    turn = env.step("[1]")
    assert (turn.reward, turn.terminated) == (1.0, True)
    assert turn.info["forfeit"].startswith("mule forfeits")


def fail(_: str) -> str:
    raise TimeoutError("no answer\nin 60 s")


def test_model_that_raises_forfeits_with_the_reason() -> None:
    turn = TextEnv("flag-chase", opponent="greedy").play(fail, seed=1)
    assert (turn.reward, turn.terminated) == (-1.0, True)
    why = "failed: 'TimeoutError: no answer in 60 s'"
    assert turn.info["forfeit"] == f"the model {why}"
    assert f"({turn.info['forfeit']})" in turn.prompt
    with pytest.raises(Forfeit, match=f"shaky forfeits: it {why}"):
        TextPlayer(fail, nl.book("flag-chase"), name="shaky").choose(nl.book("flag-chase").start())


@pytest.mark.parametrize(("model", "why"), [(lambda _: None, "the answer is not text"), (fail, "no answer in 60 s")])
def test_arena_continues_after_failures_of_a_model(model: Responder, why: str) -> None:
    models = Entrant("model", lambda book, *_: TextPlayer(model, book, name="model"))
    standings = run(Tournament((models, Entrant.from_text("greedy")), (nl.book("flag-chase"),), games=4))
    [(reason, count)] = standings.reasons["model"].items()
    assert why in reason
    assert count == standings.games == 4


@pytest.mark.parametrize("stopped", [KeyboardInterrupt(), nl.BookError("not a book")])
def test_own_errors_and_interrupts_are_not_hidden(stopped: BaseException) -> None:
    def ask(_: str) -> str:
        raise stopped

    with pytest.raises(type(stopped)):
        TextEnv("flag-chase").play(ask, seed=1)


def test_game_in_progress_can_be_pickled() -> None:
    env = TextEnv("line-runner", opponent="level:5", oracle=True)
    env.reset(seed=3)
    env.step("[2]")
    copy = pickle.loads(pickle.dumps(env))  # noqa: S301 - our own
    assert copy.step("[1]") == env.step("[1]")
