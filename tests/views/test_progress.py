"""Events made from finished games."""

import numberline as nl
from numberline.progress.document import Game
from numberline.views.progress import game_finished


def test_finished_game_tells_its_variant_and_last_position_in_words() -> None:
    match = nl.Match(nl.book("flag-chase(flag=3)"))
    match.play("3")
    game = game_finished(match, 1, None, Game(opponent="Fox")).game
    assert (game.title, game.changes) == ("Flag Chase", "Here the goal is tile 3.")
    assert game.board == "0 10|1:3 2:10|0:3"
