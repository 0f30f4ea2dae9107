"""The sheets, each of which is a folder with a ``sheet.toml`` and a ``requirements.md``.

A requirement is an item of a list in ``requirements.md``::

    - **S0-14** A dealer over 21 is bust: the round is over and the player wins.

A requirement that cannot be graded ends with the reason, as in ``*(Not graded: it asks for
nothing.)*``.
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, NamedTuple

FOLDER: Final = Path(__file__).resolve().parents[1] / "sheets"
"""The folder of the project's own sheets. If this folder was deleted, none of the sheets can be
graded.
"""

ITEM: Final = re.compile(r"- \*\*([SA]\d+-\d+)\*\* (.+)", re.DOTALL)
NOT_GRADED: Final = re.compile(r"\s*\*\((Not graded[^:]*: .+)\)\*$", re.DOTALL)
SLUG: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
ANY_FILE: Final = "*"
"""A placeholder in ``sheet.toml`` for the name of a sheet's only file, if the sheet leaves the name
open.
"""


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_table(value: Any) -> bool:
    return isinstance(value, dict)


def _is_table_of_texts(value: Any) -> bool:
    return _is_table(value) and all(isinstance(item, str) for item in value.values())


def _is_classes(value: Any) -> bool:
    return _is_table(value) and all(map(_is_table_of_texts, value.values()))


Kind = tuple[str, Callable[[Any], bool]]
TEXT: Final[Kind] = ("a text in quotes", _is_text)
TEXTS: Final[Kind] = ('a list of texts, as in ["war.py"]', _is_texts)
FLAG: Final[Kind] = ("true or false", lambda value: isinstance(value, bool))
TABLE_OF_TEXTS: Final[Kind] = ("a table of texts", _is_table_of_texts)

KEYS: Final[Mapping[str, Kind]] = {
    **dict.fromkeys(("title", "slug", "pitch", "program", "tests", "python2"), TEXT),
    **dict.fromkeys(("files", "given", "decks", "imports"), TEXTS),
    **dict.fromkeys(("private_attributes", "notebook"), FLAG),
    **dict.fromkeys(("build", "functions", "mends"), TABLE_OF_TEXTS),
    "classes": ('a table of classes for each file, as in [classes."war.py"]', _is_classes),
    "rubric": ("a table, as in a rubric's file", _is_table),
    "solution": ('"public" or "private"', lambda value: value in ("public", "private")),
    "forbidden": (
        'a list of "globals" and "jumps"',
        lambda value: _is_texts(value) and {*value} <= {"globals", "jumps"},
    ),
}
"""The keys of ``sheet.toml`` and the types of their values."""


class SheetError(ValueError):
    """An error raised when a sheet cannot be used.

    The message states the reason in a single sentence.
    """


class Requirement(NamedTuple):
    """One numbered sentence of a sheet."""

    id: str
    text: str
    section: str
    ungraded: str
    """The reason why the requirement is not graded, or an empty string."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """One assignment sheet."""

    root: Path
    """The folder of the sheet."""
    slug: str
    title: str
    requirements: tuple[Requirement, ...]
    """The requirements and decisions, in the order of the document."""
    pitch: str
    """The sheet's task in one or two sentences."""
    build: Mapping[str, str]
    """The classes to build, keyed by file. An empty string stands for a file that the sheet does
    not name.
    """
    files: tuple[str, ...]
    """The files to submit. If the sheet names no files, the list is empty, and the submission is
    one program.
    """
    program: str
    """The file name of the program, or an empty string. If the sheet does not name the file, this
    is the name in our solution.
    """
    tests: str
    """The submitted file that contains only tests of the other files."""
    given: tuple[Path, ...]
    """The modules that the course provides, in the order of their imports."""
    decks: tuple[str, ...]
    """The deck files that the program reads."""
    classes: Mapping[str, Mapping[str, str]]
    """The public names of each class, separated by spaces and keyed by file and class."""
    functions: Mapping[str, tuple[str, ...]]
    """The functions that the sheet names, keyed by file."""
    notebook: bool
    """Whether the sheet's only file may be a notebook. Only the notebook's definitions are graded.
    """
    python2: Path | None
    """A file that defines ``as_python3(source)``, or None if programs must be written in Python 3.
    """
    mends: Mapping[tuple[str, ...], Path]
    """Patches by requirements. A program that fails one of these requirements is patched by
    appending the corresponding file.
    """
    rubric: Mapping[str, Any]
    """The points and the visibility of requirements, in the format of a rubric file."""
    is_solution_private: bool
    """Whether our solution is hidden from students."""

    @property
    def gradable(self) -> tuple[Requirement, ...]:
        """The requirements that can be graded."""
        return tuple(
            requirement
            for requirement in self.requirements
            if requirement.id.startswith("S") and not requirement.ungraded
        )

    @property
    def argument(self) -> str:
        """The argument that selects this sheet on the command line."""
        return self.slug if self.is_ours else str(self.root)

    @property
    def solution(self) -> Path:
        """The folder of our solution."""
        return self.root / "solution"

    @property
    def solution_files(self) -> tuple[str, ...]:
        """The files of our solution, under our own names unless the sheet names them."""
        return self.files or (self.program,)

    def classes_in(self, file: str) -> Mapping[str, str]:
        """Return the public names of the classes in a file, or in the unnamed file."""
        return self.classes.get(file, self.classes.get("", {}))

    def functions_in(self, file: str) -> tuple[str, ...]:
        """Return the functions that the sheet names in a file, or in the unnamed file."""
        return self.functions.get(file, self.functions.get("", ()))

    @property
    def own_probes(self) -> str:
        """The sheet's own probes, which are used in addition to the probes for all sheets."""
        file = self.root / "probes.py"
        return file.read_text(encoding="utf-8") if file.is_file() else ""

    @property
    def is_ours(self) -> bool:
        """Whether the sheet is one of the project's own sheets."""
        return self.root.parent == FOLDER


def load_sheet(folder: Path) -> Sheet:
    """Read the sheet in a folder, without importing its checks.

    Raises:
        SheetError: If the sheet cannot be used. The message is a single sentence.
    """
    root = folder.resolve()
    data = _read_toml(root / "sheet.toml")
    slug = data.get("slug", root.name)
    if not SLUG.fullmatch(slug):
        message = "small letters and digits, with hyphens between: rename it, or give it a slug"
        raise SheetError(f"{slug!r} is no name of a sheet, which has {message}.")
    files = tuple(data.get("files", ()))
    sheet = Sheet(
        root=root,
        slug=slug,
        title=data["title"],
        requirements=tuple(_read_requirements(root / "requirements.md")),
        pitch=data.get("pitch", ""),
        build=_by_file(data, "build"),
        files=files,
        program=data.get("program", ""),
        tests=data.get("tests", ""),
        given=tuple((root / path).resolve() for path in data.get("given", ())),
        decks=tuple(data.get("decks", ())),
        classes=_by_file(data, "classes"),
        functions={
            file: tuple(listed.split()) for file, listed in _by_file(data, "functions").items()
        },
        notebook=data.get("notebook", False),
        python2=root / data["python2"] if "python2" in data else None,
        mends={tuple(names.split()): root / file for names, file in data.get("mends", {}).items()},
        rubric=data.get("rubric", {}),
        is_solution_private=data.get("solution") == "private",
    )
    _expect_files(sheet)
    return sheet


def _read_toml(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise SheetError(f"{path.parent} has no {path.name}, so it is no sheet.")
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SheetError(f"{path} cannot be read: {error}.") from None
    for key, value in data.items():
        if key not in KEYS:
            raise SheetError(f"{path} has {key!r}; a sheet has {', '.join(KEYS)}.")
        kind, is_right = KEYS[key]
        if not is_right(value):
            raise SheetError(f"{path}: {key} is {kind}.")
    if "title" not in data:
        raise SheetError(f"{path} has no title.")
    return data


def _by_file(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {"" if name == ANY_FILE else name: value for name, value in data.get(key, {}).items()}


def _read_requirements(path: Path) -> list[Requirement]:
    if not path.is_file():
        raise SheetError(f"{path.parent} has no {path.name}.")
    text = path.read_text(encoding="utf-8")
    requirements = _parsed(text)
    for name in re.findall(r"^- \*\*(.+?)\*\*", text, re.MULTILINE):
        if name not in (requirement.id for requirement in requirements):
            raise SheetError(f"{path}: {name} is no number of a requirement, as S1-1 is.")
    if not any(requirement.id.startswith("S") for requirement in requirements):
        raise SheetError(f"{path} has no requirement, as in: - **S1-1** A deck has 52 cards.")
    for first, second in pairwise(sorted(requirement.id for requirement in requirements)):
        if first == second:
            raise SheetError(f"{path} has {first} twice.")
    return requirements


def _parsed(text: str) -> list[Requirement]:
    r"""Return the requirements in the text of a ``requirements.md``.

    >>> _parsed("## The game\n\n- **S0-1** One\n  player. *(Not graded: why.)*\n")
    [Requirement(id='S0-1', text='One player.', section='The game', ungraded='Not graded: why.')]
    """
    requirements, section = [], ""
    for block in re.split(r"\n(?=- |## |\n)", text):
        if block.startswith("## "):
            section = block.removeprefix("## ").strip()
        elif item := ITEM.match(block.strip()):
            sentence = " ".join(item[2].split())
            reason = NOT_GRADED.search(sentence)
            why = reason[1] if reason else ""
            requirements.append(Requirement(item[1], NOT_GRADED.sub("", sentence), section, why))
    return requirements


def _expect_files(sheet: Sheet) -> None:
    """Raise SheetError if a file is missing or an ID is not a requirement."""
    if not any(sheet.solution_files):
        raise SheetError(f"{sheet.root / 'sheet.toml'} names neither files nor a program.")
    if sheet.notebook and len(sheet.files) != 1:
        raise SheetError(f"{sheet.slug} may be a notebook, so it must have one file.")
    for path in sheet.given:
        if not (sheet.is_ours or path.is_relative_to(sheet.root)):
            raise SheetError(f"{path}, which {sheet.slug} gives, is outside of its folder.")
    needed = [*sheet.given, *sheet.mends.values(), *filter(None, [sheet.python2])]
    if not sheet.is_solution_private or sheet.solution.is_dir():
        needed += [sheet.solution / name for name in sheet.solution_files]
    for path in needed:
        if not path.is_file():
            raise SheetError(f"{sheet.slug} has no file {path}, which its sheet.toml names.")
    for kind, files in (("classes", sheet.classes), ("functions", sheet.functions)):
        for name in {*files} - {"", *sheet.files}:
            raise SheetError(f"{sheet.slug} has {kind} for {name}, which is none of its files.")


def our_sheets() -> dict[str, Sheet]:
    """Return the project's own sheets in the order of their numbers, keyed by slug."""
    sheets = [load_sheet(path.parent) for path in FOLDER.glob("*/sheet.toml")]
    sheets.sort(key=lambda sheet: sheet.requirements[0].id)
    return {sheet.slug: sheet for sheet in sheets}


SHEETS: Final = our_sheets()
"""The project's own sheets. The dictionary is empty if their folder was deleted."""
