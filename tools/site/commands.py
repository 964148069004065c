"""The reference of commands, from the command line itself."""

from __future__ import annotations

import inspect

from tools.site.markdown import plain

HEAD = """# Every command

What `parakin COMMAND --help` says, on one page. [Commands](/commands.md) tells what they have in common, and their
exit codes.
"""


def command_pages() -> dict[str, str]:
    """Return the page of all commands: usage, arguments, options with their defaults, and examples."""
    import typer.main

    from parakin.cli import app

    group = typer.main.get_command(app)
    sections = [_section(name, command) for name, command in sorted(group.commands.items())]  # type: ignore[attr-defined]
    return {"reference/commands.md": HEAD + "\n" + "\n".join(sections)}


def _section(name: str, command: object) -> str:
    context = command.make_context(name, [], resilient_parsing=True)  # type: ignore[attr-defined]
    usage = " ".join(command.collect_usage_pieces(context))  # type: ignore[attr-defined]
    text = inspect.cleandoc(command.help or "").replace("\b", "")  # type: ignore[attr-defined]
    rows = [_row(parameter) for parameter in command.params if not getattr(parameter, "hidden", False)]  # type: ignore[attr-defined]
    table = "\n".join(["| argument or option | default | meaning |", "|---|---|---|", *rows])
    epilog = inspect.cleandoc(getattr(command, "epilog", "") or "").replace("\b", "")
    ending = f"\n```text\n{epilog.strip()}\n```\n" if epilog.strip() else ""
    return f"## `{name}`\n\n```text\nparakin {name} {usage}\n```\n\n{_paragraphs(text)}\n\n{table}\n{ending}"


def _paragraphs(text: str) -> str:
    """Paragraphs as text, examples as code."""
    shown: list[str] = []
    for block in text.split("\n\n"):
        line = " ".join(block.split())
        example = line.removeprefix("Example: ").removeprefix("Examples: ")
        if line.startswith("Example") and example != line:
            commands = example.replace(" parakin ", "\nparakin ").replace(";\n", "\n")
            shown.append(f"```sh\n{commands}\n```")
        else:
            shown.append(plain(line))
    return "\n\n".join(shown)


def _row(parameter: object) -> str:
    options = [*getattr(parameter, "opts", []), *getattr(parameter, "secondary_opts", [])]
    argument = getattr(parameter, "param_type_name", "") == "argument"
    name = (
        (getattr(parameter, "metavar", None) or str(getattr(parameter, "name", "")).upper())
        if argument
        else ", ".join(options)
    )
    default = getattr(parameter, "default", None)
    shown = "" if default in (None, False, (), []) or callable(default) else f"`{default}`"
    return f"| `{name}` | {shown} | {plain(' '.join(str(getattr(parameter, 'help', '') or '').split()))} |"
