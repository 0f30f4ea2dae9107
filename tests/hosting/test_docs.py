"""Every block of code in the README and in docs is run unchanged.

Only the port in a command is changed, so that the command uses a site on a free port instead of
port 8000. The files that a command needs are in the command's current folder, under the names in
the command. Commands that set up or install something, or that take minutes, are listed in
``CHECKED`` and not run.
"""

import argparse
import ast
import json
import os
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from cardgames import GAMES, __version__
from cardgames.records.line import parse
from cardgames.records.replay import replay
from course.grading.overrides import read_overrides
from course.grading.sheets import SHEETS as ALL_SHEETS
from tests.support.commands import ROOT, run
from tests.support.machines import program
from tests.support.serving import Server, free_port
from web.guide import heading_anchor

GUIDES: Final = ROOT / "docs"
FILES: Final = (
    *sorted(ROOT.glob("*.md")),
    *(path for path in sorted(GUIDES.rglob("*.md")) if path.name != "a-sixth-sheet.md"),
)
"""All documents except the guide that tests/course/test_a_sixth_sheet.py follows."""

SHEETS: Final = ROOT / "course" / "sheets"
_PYTEST: Final = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"][
    "ini_options"
]


class Block(NamedTuple):
    file: Path
    line: int
    kind: str
    text: str


def blocks() -> Iterator[Block]:
    """Yield every fenced block; an unclosed fence is an error."""
    for file in FILES:
        fenced: list[str] | None = None
        kind, first = "", 0
        for number, line in enumerate(file.read_text().splitlines(), start=1):
            if not line.lstrip().startswith("```"):
                if fenced is not None:
                    fenced.append(line)
            elif fenced is None:
                fenced, kind, first = [], line.strip()[3:], number
            else:
                yield Block(file, first, kind, "\n".join(fenced) + "\n")
                fenced = None
        assert fenced is None, f"{file.name}: the block of line {first} is not closed"


BLOCKS: Final = tuple(blocks())


def of_kind(*kinds: str) -> pytest.MarkDecorator:
    found = [block for block in BLOCKS if block.kind in kinds]
    assert found
    names = [f"{one.file.name}:{one.line}" for one in found]
    return pytest.mark.parametrize("block", found, ids=names)


ELSEWHERE: Final = {
    "text": "a drawing, or what happens in words: nothing can be run",
    "nginx sign-on": "test_sign_on_served.py",
    "imports": "tests/web/test_architecture.py compares it with the code",
    "python cardgames/games/high_card.py": "test_a_sixth_game.py",
    "python cardgames/__init__.py": "test_a_sixth_game.py",
    "jinja templates/high-card.html": "test_a_sixth_game.py",
    "po translations/de/LC_MESSAGES/cardgames.po": "test_a_sixth_game.py",
    "pycon": "test_a_sixth_game.py",
}
"""Kinds of blocks that these tests do not run, with the reasons."""

HERE: Final = {"python", "python client", "sh", "record", "toml", "ini", "nginx", "csv", "yaml"}


def test_every_block_is_of_a_runnable_kind() -> None:
    for block in BLOCKS:
        where = f"{block.file.name}, line {block.line}"
        assert block.kind in HERE | set(ELSEWHERE), f"{where}: nobody runs a block {block.kind!r}"
        in_guide = ELSEWHERE.get(block.kind) == "test_a_sixth_game.py"
        assert not in_guide or block.file.name == "a-sixth-game.md", where
    assert {block.kind for block in BLOCKS} == HERE | set(ELSEWHERE)


# ---- Commands that are parsed or run immediately ---------------------------------------------


def ran(folder: Path, *command: str) -> str:
    """Run a command in a folder, and return its output.

    The command ``python`` runs this interpreter.
    """
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}
    done = run(*command, cwd=folder, env=environment)
    said = done.stdout + done.stderr
    assert done.returncode == 0, f"{command} ended with {done.returncode}:\n{said[-2000:]}"
    return said


@of_kind("python")
def test_python_runs(block: Block, tmp_path: Path) -> None:
    """The output must match the comments in the block."""
    said = ran(tmp_path, sys.executable, "-W", "error", "-c", block.text)
    for line in block.text.splitlines():
        if line.startswith("print(") and "  # what" not in line and "  # " in line:
            assert f"{line.partition('  # ')[2]}\n" in said


@of_kind("record")
def test_records_can_be_read_and_replayed(block: Block) -> None:
    for text in block.text.splitlines():
        record = parse(text)
        told = [pile for pile in record.shuffles if set(pile) != {None}]
        if told or record.salt or record.carry:
            assert replay(record).last.result


@of_kind("toml")
def test_points_are_those_of_a_rubric(block: Block) -> None:
    """Other tests below run the commands that read these files.

    The rubric of the sheet itself has 18 points.
    """
    rubric = tomllib.loads(block.text)
    whole = rubric["default_points"] == 0
    assert sum(rubric["points"].values()) == 18 if whole else rubric["default_points"] == 1


@of_kind("csv")
def test_overrides_can_be_read(block: Block, tmp_path: Path) -> None:
    (tmp_path / "overrides.csv").write_text(block.text)
    assert len(read_overrides(tmp_path / "overrides.csv", ALL_SHEETS["simple-21"])) == 2


@pytest.mark.slow
@of_kind("yaml")
def test_the_commands_of_a_workflow_run(block: Block, tmp_path: Path) -> None:
    commands = re.findall(r"- run: (.+)", block.text)
    assert commands
    shutil.copytree(SHEETS / "simple21" / "solution", tmp_path / "FOLDER")
    (tmp_path / "kit").symlink_to(ROOT)
    for command in commands:
        assert "points" in ran(tmp_path, "sh", "-c", command)


@of_kind("ini")
def test_systemd_reads_the_unit(block: Block, tmp_path: Path) -> None:
    """The keys in the sample are valid for a systemd unit.

    If systemd is installed, it accepts the unit.
    """
    assert all(re.fullmatch(r"|#.*|\[\w+\]|\w+=.*", line) for line in block.text.splitlines())
    if shutil.which("systemd-analyze"):
        unit = tmp_path / "cardgames.service"
        unit.write_text(re.sub(r"(?m)^(ExecStart|WorkingDirectory)=.*$", r"\1=/", block.text))
        unit.write_text(unit.read_text().replace("ExecStart=/\n", "ExecStart=/bin/true\n"))
        command = ("systemd-analyze", "verify", "--man=no", str(unit))
        assert "cardgames.service" not in (said := run(*command).stderr), said


@of_kind("nginx")
def test_nginx_reads_its_block(block: Block, tmp_path: Path) -> None:
    """nginx accepts the sample with a new certificate.

    ``test_proxies.py`` serves the site with the sample.
    """
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    ran(
        tmp_path,
        *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost"),
        *("-keyout", str(key), "-out", str(certificate)),
    )
    text = re.sub(r"/etc/ssl/certs/\S+\.pem", str(certificate), block.text)
    text = re.sub(r"/etc/ssl/private/\S+\.key", str(key), text)
    text = text.replace("listen 443", f"listen 127.0.0.1:{free_port()}")
    config = tmp_path / "nginx.conf"
    places = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "".join(f"{place}_temp_path {tmp_path}/{place};" for place in places)
    config.write_text(
        f"pid {tmp_path}/pid; error_log stderr; events {{}} "
        f"http {{ access_log off; {temporary} {text} }}"
    )
    ran(tmp_path, program("nginx"), "-t", "-p", str(tmp_path), "-c", str(config))


# ---- Commands for a shell ------------------------------------------------------------------

SLOW: Final = ("course.grade", "course.run", "cardgames.tournament")
"""Programs that take seconds. Only the slow tests run these programs."""


def commands() -> Iterator[object]:
    """Yield each command once, even if it occurs several times."""
    names: dict[str, str] = {}
    for block in BLOCKS:
        if block.kind == "sh":
            for line in block.text.splitlines():
                names.setdefault(line.partition("  #")[0].strip(), block.file.name)
    for command, name in names.items():
        marks = [pytest.mark.slow] if any(slow in command for slow in SLOW) else []
        yield pytest.param(command, id=f"{name}: {command[:60]}", marks=marks)


def text_of(name: str, kind: str, place: int = 0) -> str:
    found = [block.text for block in BLOCKS if block.kind == kind and block.file.name == name]
    return found[place]


def make_folder(folder: Path, command: str) -> None:
    """Put the files that a command names into the folder."""
    decide = text_of("strategies.md", "python")
    for name in ("mine.py", "theirs.py"):
        (folder / name).write_text(decide)
    (folder / "rubric.toml").write_text(text_of("course-kit.md", "toml"))
    overrides = text_of("when-the-grader-is-wrong.md", "csv")
    (folder / "overrides.csv").write_text(overrides)
    (folder / "names.txt").write_text("Amy Adams\nBrad Bell\n")
    shutil.copy(SHEETS / "bingo" / "solution" / "bingo.py", folder)
    if "course.grade" in command:
        sheet = SHEETS / command.split()[3].replace("-", "") / "solution"
        shutil.copytree(sheet, folder / "FOLDER")
        for student in ("amy", "brad"):
            shutil.copytree(sheet, folder / "CLASS" / student)
            shutil.copytree(sheet, folder / "submitted" / student / "ASSIGNMENT")


def has_target(words: list[str]) -> None:
    """Check that each target of the command exists in the Makefile."""
    makefile = (ROOT / "Makefile").read_text()
    assert all(re.search(rf"^{word}:", makefile, re.MULTILINE) for word in words[1:]), words


def names_the_wheel(words: list[str]) -> None:
    """The command installs the wheel that ``make wheel`` builds from this version."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wheel = f"{project['name'].replace('-', '_')}-{__version__}-py3-none-any.whl"
    assert words[:4] == ["python", "-m", "pip", "install"]
    assert words[4].endswith(f"/sheets/{wheel}")


def runs_tests(words: list[str]) -> None:
    """The paths exist, and pytest knows the options.

    The tests in these paths are not run.
    """
    parser = argparse.ArgumentParser(exit_on_error=False, allow_abbrev=False)
    for option in ("-q", "-x"):
        parser.add_argument(option, action="store_true")
    parser.add_argument("-k", type=re.compile(r"[\w-]+").fullmatch)
    parser.add_argument("-m", choices=[mark.partition(":")[0] for mark in _PYTEST["markers"]])
    parser.add_argument("-n", type=int)
    parser.add_argument("paths", nargs="*")
    assert all((ROOT / path).exists() for path in parser.parse_args(words[1:]).paths)


def takes_options(words: list[str]) -> None:
    """The module exists, and its help lists every option.

    The benchmark takes minutes, so it is not run.
    """
    told = ran(ROOT, sys.executable, *words[1:3], "--help")
    assert all(word in told for word in words if word.startswith("--"))


def begins_anywhere(words: list[str]) -> None:
    """The command clones the project, or changes to the folder of the clone."""
    assert words[-1] == "cardgames"


CHECKED: Final[dict[str, Callable[[list[str]], None]]] = {
    r"git clone |cd ": begins_anywhere,
    r"make \w": has_target,
    r"python -m pip install": names_the_wheel,
    r"\.venv/bin/pytest ": runs_tests,
    r"\.venv/bin/python -m tools\.benchmarks": takes_options,
}
"""Commands that are checked but not run, keyed by a pattern for the first words."""


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with Server(tmp_path_factory.mktemp("site")) as server:
        yield server.port


@pytest.mark.parametrize("command", [*commands()])
def test_commands_run(command: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    for begins, check in CHECKED.items():
        if re.match(begins, command):
            check(shlex.split(command))
            return
    program = command.partition(" ")[0]
    assert program in ("python", "curl", ".venv/bin/python"), "nobody runs this"
    if ":8000" in command:
        command = command.replace(":8000", f":{request.getfixturevalue('port')}")
    if command.startswith(".venv/"):
        ran(ROOT, sys.executable, *shlex.split(command)[1:])
        return
    make_folder(tmp_path, command)
    said = ran(tmp_path, "sh", "-c", command)
    assert said
    if command.startswith("curl"):
        answer, _ = json.JSONDecoder().raw_decode(said)
        assert answer["game"] in GAMES


@of_kind("python client")
def test_twelve_lines_of_the_standard_library_play_at_the_site(
    block: Block, port: int, tmp_path: Path
) -> None:
    lines = [line for line in block.text.splitlines() if line]
    assert len(lines) <= 12
    imported = re.findall(r"^(?:from|import) (\w+)", block.text, re.MULTILINE)
    assert {*imported} <= sys.stdlib_module_names
    said = ran(tmp_path, sys.executable, "-c", block.text.replace(":8000", f":{port}"))
    tally = ast.literal_eval(said)
    assert {*tally} == {"player", "dealer", "tie"}
    assert sum(tally.values()) == 100


def anchors(file: Path) -> set[str]:
    """Return the anchors of a document's headings, in GitHub's format."""
    return {
        heading_anchor(line.lstrip("#").strip())
        for line in file.read_text().splitlines()
        if line.startswith("#")
    }


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_link_leads_somewhere(file: Path) -> None:
    """Each link points to a file of the project, and its fragment to a heading in that file."""
    for target in re.findall(r"\]\(([^)\s]+)\)", file.read_text()):
        if "://" in target:
            continue
        path, _, anchor = target.partition("#")
        found = file.parent / path if path else file
        assert found.exists(), target
        assert not anchor or anchor in anchors(found), target
