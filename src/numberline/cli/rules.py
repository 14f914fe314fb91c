"""`numberline rules BOOK`: the rules of a variant in prose, and what it can be varied by."""

from __future__ import annotations

import click

from numberline.cli import completion
from numberline.cli.options import as_json, load_variant, print_json, print_paragraph, rules_report, settings_option
from numberline.explain.rules_text import describe_rules, describe_setting, opening


@click.command("rules", short_help="Tell the rules of a game or a variant.")
@click.argument("book", shell_complete=completion.books)
@settings_option
@as_json
def command(book: str, settings: tuple[str, ...], *, as_json: bool) -> None:
    """Tell the rules of BOOK: a game, a variant such as "line-runner(end=30)", or your own .toml file."""
    game = load_variant(book, settings)
    if as_json:
        print_json(rules_report(game))
        return
    click.echo(game.full_title)
    print_paragraph(f"\n{opening(game)}")
    for section in describe_rules(game):
        click.echo(f"\n{section.heading}")
        print_paragraph(section.text, "  ")
    click.echo("\nSettings")
    for setting in filter(lambda setting: game.can_vary(setting.name), game.settings):
        changed = f" (the book: {setting.default})" if setting.value != setting.default else ""
        click.echo(f"  {setting.name:<11}{setting.value:<9} {describe_setting(game, setting.name)}{changed}")
