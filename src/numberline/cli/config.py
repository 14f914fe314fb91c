"""`numberline config`: default options from a TOML file."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import click

from numberline.cli import COMMANDS, load_command
from numberline.cli.options import as_json, print_json
from numberline.errors import NumberlineError
from numberline.files.safe_read import InvalidTextFile, os_error_reason, read_text
from numberline.game.book_file import parse_toml
from numberline.text import quote

_EXAMPLE = """[play]
names = "Ann,Bob"
vs = "auto"
"""


class ConfigError(NumberlineError):
    """An invalid configuration file."""


@click.command("config", short_help="Show your default options and where they are stored.")
@as_json
def command(*, as_json: bool) -> None:
    """Show your default options and the configuration file they come from."""
    found = read_defaults()
    if as_json:
        print_json({"file": str(config_path()), "defaults": found})
    elif not found:
        click.echo(f"You have no default options yet. Add some to {config_path()}, such as:\n\n{_EXAMPLE}", nl=False)
    else:
        click.echo(f"From {config_path()}:")
        for name, options in found.items():
            for option, value in options.items():
                click.echo(f"  {name} --{option.replace('_', '-')}: {value}")


def config_path() -> Path:
    from platformdirs import user_config_path

    return user_config_path("numberline") / "config.toml"


def read_defaults() -> dict[str, dict[str, Any]]:
    """Return the default options of each command; an empty dictionary if there is no configuration file."""
    file = config_path()
    try:
        data = parse_toml(read_text(file, 1_000_000))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise ConfigError(f"{file}: {os_error_reason(error)}; fix or remove the file") from None
    except (InvalidTextFile, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{file}: {error}") from None
    except ValueError:
        raise ConfigError(f"{file}: a number has too many digits") from None
    except RecursionError:
        raise ConfigError(f"{file}: nested too deeply; expected a table for each command") from None
    return {name: _options(file, name, table) for name, table in data.items()}


def _options(file: Path, name: str, table: Any) -> dict[str, Any]:
    if name not in COMMANDS or not isinstance(table, dict):
        raise ConfigError(f"{file}: {name}: expected a table named after a command: {', '.join(COMMANDS)}")
    known = {option.name: option for option in load_command(name).params if isinstance(option, click.Option)}
    options = {option.replace("-", "_"): value for option, value in table.items()}
    for option in options:
        if option not in known:
            names = ", ".join(sorted(str(known_name).replace("_", "-") for known_name in known))
            raise ConfigError(f"{file}: unknown option {name}.{option}; choose from {names}")
    return {option: _value(f"{file}: {name}.{option}", known[option], value) for option, value in options.items()}


def _value(where: str, option: click.Option, value: Any) -> Any:
    """Return a configured value as the type the option expects; the command itself validates it later."""
    if option.is_flag:
        expected, valid = "true or false", isinstance(value, bool)
    elif option.multiple:
        expected, valid = "a list of strings", isinstance(value, list) and all(map(_is_plain, value))
    else:
        expected, valid = "a string or a whole number", _is_plain(value)
    if not valid:
        raise ConfigError(f"{where}: expected {expected}, found {quote(str(value))}")
    return str(value) if isinstance(option.type, click.Path) else value  # a file name can be a number


def _is_plain(value: Any) -> bool:
    if isinstance(value, str):
        return "\0" not in value  # cannot occur on a command line
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63
