"""`numberline config`: your own defaults, from a TOML file in your configuration folder."""

from __future__ import annotations

import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import click

from numberline.cli.options import as_json, print_json
from numberline.errors import NumberlineError
from numberline.files import InvalidTextFile, os_error_reason, read_text
from numberline.game.book_file import parse_toml
from numberline.text import quote

EXAMPLE = """[play]
names = "Ann,Bob"
vs = "auto"
"""


class ConfigError(NumberlineError):
    """A configuration file that can't be used; the text says what is wrong with it."""


@click.command("config", short_help="Show your own defaults, and where they are kept.")
@as_json
def command(*, as_json: bool) -> None:
    """Show where your own defaults are kept, and what they are."""
    found = defaults()
    if as_json:
        print_json({"file": str(config_path()), "defaults": found})
    elif not found:
        click.echo(
            f"There are no defaults of your own yet. They go into {config_path()}, such as:\n\n{EXAMPLE}", nl=False
        )
    else:
        click.echo(f"From {config_path()}:")
        for name, options in found.items():
            for option, value in options.items():
                click.echo(f"  {name} --{option.replace('_', '-')}: {value}")


def config_path() -> Path:
    """Where the file is, if there is one."""
    from platformdirs import user_config_path

    return user_config_path("numberline") / "config.toml"


def defaults() -> dict[str, dict[str, Any]]:
    """The defaults of each command, by option; nothing where there is no file."""
    file = config_path()
    try:
        data = parse_toml(read_text(file, 1_000_000))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise ConfigError(f"{file}: {os_error_reason(error)}; put it right, or remove it") from None
    except (InvalidTextFile, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{file}: {error}") from None
    except ValueError:
        raise ConfigError(f"{file}: a number in it has too many digits") from None
    except RecursionError:
        raise ConfigError(f"{file}: nested too deeply; expected a table for each command") from None
    return {name: _options(file, name, table) for name, table in data.items()}


def _options(file: Path, name: str, table: Any) -> dict[str, Any]:
    from numberline.cli import COMMANDS

    if name not in COMMANDS or not isinstance(table, dict):
        raise ConfigError(f"{file}: {name}: expected a table for a command: {', '.join(COMMANDS)}")
    module = import_module(f"numberline.cli.{name}")
    known = {parameter.name: parameter for parameter in module.command.params if isinstance(parameter, click.Option)}
    options = {option.replace("-", "_"): value for option, value in table.items()}
    for option in options:
        if option not in known:
            names = ", ".join(sorted(str(one).replace("_", "-") for one in known))
            raise ConfigError(f"{file}: {name}.{option}: no such option; expected one of {names}")
    return {option: _value(f"{file}: {name}.{option}", known[option], value) for option, value in options.items()}


def _value(where: str, option: click.Option, value: Any) -> Any:
    """A default as the command line would have it; whether it makes sense there, the command says itself."""
    if option.is_flag:
        wanted, fits = "true or false", isinstance(value, bool)
    elif option.multiple:
        wanted, fits = "a list of texts in quotes", isinstance(value, list) and all(map(_is_plain, value))
    else:
        wanted, fits = "a text in quotes, or a whole number", _is_plain(value)
    if not fits:
        raise ConfigError(f"{where}: expected {wanted}, found {quote(str(value))}")
    return str(value) if isinstance(option.type, click.Path) else value  # a file may be called 5


def _is_plain(value: Any) -> bool:
    if isinstance(value, str):
        return "\0" not in value  # no command line can have it
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63
