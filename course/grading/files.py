"""Reads students' files: their encodings, names and archives.

Course systems, browsers and operating systems change the names and encodings of files. The grader,
class folders, notebooks and a sheet's page all use this module, so that they agree on a student's
submission. Every unused file is listed with the reason.
"""

import codecs
import io
import re
import shutil
import tokenize
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

MAX_FILE: Final = 20 << 20
"""Maximum size of a file, in bytes. A notebook may contain pictures."""

MAX_FILES: Final = 1_000
"""Maximum number of files in an archive."""

MAX_UNPACKED: Final = 50 << 20
"""Maximum total size of an archive's files, in bytes."""

MAX_NOTES: Final = 10
"""Maximum number of listed unused files."""

KINDS: Final = (".py", ".txt", ".ipynb")

MARKS: Final = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
"""Byte-order marks, with the encoding that each mark indicates."""

CODING: Final = re.compile(r"^([ \t\f]*#.*?coding[:=][ \t]*)([-\w.]+)")
"""Matches a line that declares the file's encoding (PEP 263)."""

SYSTEMS: Final = (
    re.compile(r"(?P<student>[a-z]+)(?:_LATE)?_\d+_\d+_(?P<name>.+)"),  # Canvas
    re.compile(r".*?(?P<student>[^_]+)_attempt_[\d-]+(?:_(?P<name>.+)|\.txt)"),  # Blackboard
    re.compile(r"(?P<student>[^_]+)_\d+_assignsubmission_file_(?P<name>.+)"),  # Moodle
)
"""Patterns for the names that course systems create: the student, and the original file name."""

COPY: Final = re.compile(r"(?: ?\((\d+)\)|-([1-9]\d?)| - Copy(?: \((\d+)\))?| copy(?: (\d+))?)$")
"""Matches the suffix of a duplicate file: ``war (1)``, ``war-1``, ``war - Copy``."""

PACKED: Final = (".rar", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".xz")


class Read(NamedTuple):
    """A student's files as text, keyed by name, and notes about reading the files."""

    texts: dict[str, str]
    notes: list[str]


def printable(name: str) -> str:
    r"""Return a file's name as printable text, even if the name is not UTF-8.

    >>> print(printable("ada"), printable("m\udcfcller"))
    ada m\xfcller
    """
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def is_left_by_systems(path: Path) -> bool:
    """Return whether a file or folder was created by a tool: ``__MACOSX``, ``.git``."""
    return path.name.startswith((".", "__")) or path.name in ("Thumbs.db", "desktop.ini")


# Names


def student_name(name: str) -> tuple[str, str]:
    """Return the student and the original name from a course system's file name.

    >>> student_name("riveraana_LATE_11_202_war.py"), student_name("war.py")
    (('riveraana', 'war.py'), ('', 'war.py'))
    """
    for system in SYSTEMS:
        if match := system.fullmatch(name):
            return match["student"], match["name"] or name
    return "", name


def tidy_name(name: str) -> tuple[str, int]:
    """Return the original name of a file, and the number of the duplicate.

    >>> tidy_name("war (1).py"), tidy_name("War.PY.txt"), tidy_name("riveraana_11_202_war-2.py")
    (('war.py', 1), ('War.py', 0), ('war.py', 2))
    """
    stem, ending = _split(student_name(name)[1])
    copy = COPY.search(stem)
    if not copy or not copy.start():
        return stem + ending, 0
    return stem[: copy.start()] + ending, int(next(filter(None, copy.groups()), 1))


def _split(name: str) -> tuple[str, str]:
    """Return a name's stem and its lower-case suffix.

    The suffixes ``.py.txt`` and ``.pyw`` become ``.py``.
    """
    path = PurePosixPath(name)
    stem, ending = path.stem, path.suffix.lower()
    inner = PurePosixPath(stem)
    if ending == ".txt" and inner.suffix.lower() == ".py":
        stem, ending = inner.stem, ".py"
    return stem, ".py" if ending == ".pyw" else ending


def _best(paths: Iterable[Path]) -> dict[str, list[Path]]:
    """Return one file per original name.

    This is the file with exactly that name, or otherwise the newest copy.
    """
    candidates: dict[str, list[Path]] = {}
    for path in paths:
        candidates.setdefault(tidy_name(path.name)[0], []).append(path)
    for name, copies in candidates.items():
        copies.sort(key=lambda path: (path.name == name, tidy_name(path.name)[1]), reverse=True)
    return candidates


# Texts


def decoded(data: bytes) -> tuple[str, str]:
    """Return the text of a file, and a note if its encoding is unusual.

    A byte-order mark identifies UTF-8 or UTF-16, and a line like ``# coding: latin-1`` declares the
    encoding. If a file has neither and is not valid UTF-8, it is read as Windows-1252.

    >>> decoded("# é".encode("cp1252"))
    ('# é', 'is not UTF-8, so it was read as Windows-1252')
    """
    for mark, encoding in MARKS.items():
        if data.startswith(mark):
            unusual = "is UTF-16, which Python does not run: save it as UTF-8"
            return data.decode(encoding, "replace"), unusual if encoding == "utf-16" else ""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError):
        return data.decode("cp1252", "replace"), "is not UTF-8, so it was read as Windows-1252"
    head, rest = text.split("\n")[:2], text.split("\n")[2:]
    if encoding != "utf-8":  # replaced, because the text is saved as UTF-8
        head = [CODING.sub(r"\1utf-8", line) for line in head]
    return "\n".join([*head, *rest]), ""


def read_text(path: Path) -> str:
    """Return the text of a file in any encoding."""
    return decoded(path.read_bytes())[0]


def read_folder(folder: Path, names: Iterable[str] = ()) -> Read:
    """Read a student's files from a folder, a subfolder or an archive in the folder.

    Args:
        folder: The student's files, which are not changed.
        names: The files that the sheet requires. The folder that contains most of these files is
            read.
    """
    archives = [path for path in folder.glob("*") if path.suffix.lower() == ".zip"]
    archives = [path for path in archives if path.is_file()]
    if archives and not any(_is_code(path) for path in folder.rglob("*")):
        return _read_archives(folder, archives, names)
    source = _student_folder(folder, {*names})
    inside = str(source.relative_to(folder))
    notes = [] if source == folder else [f"The files were found in {printable(inside)}."]
    notes += [
        f"The folder {printable(path.name)} was not looked at." for path in _left_folders(folder)
    ]
    texts: dict[str, str] = {}
    unused = [*_unused(folder, source)]
    for name, copies in sorted(_best(_files_in(source)).items()):
        path, others = copies[0], copies[1:]
        name_shown = printable(path.name)
        if not path.resolve().is_relative_to(folder.resolve()):
            notes.append(f"{name_shown} was refused: it is a link to a file outside of the folder.")
        elif path.stat().st_size >= MAX_FILE:
            notes.append(f"{name_shown} was not used: it is larger than {MAX_FILE >> 20} MB.")
        else:
            texts[name], unusual = decoded(path.read_bytes())
            notes += [f"{name_shown} {unusual}."] * bool(unusual and name.endswith(".py"))
            if path.name != name:
                notes.append(f"{name_shown} was read as {printable(name)}.")
        unused += [
            f"{printable(other.name)} was not used: {name_shown} was read." for other in others
        ]
    return Read(texts, notes + _shortened(unused))


def _shortened(notes: list[str]) -> list[str]:
    more = len(notes) - MAX_NOTES
    return [*notes[:MAX_NOTES], f"{more} more files were not used."] if more > 0 else notes


def _files_in(folder: Path) -> Iterator[Path]:
    """Yield the readable files of a folder."""
    for path in sorted(folder.iterdir()):
        is_kind = _split(path.name)[1] in KINDS and not is_left_by_systems(path)
        if is_kind and (path.is_file() or path.is_symlink()):
            yield path


def _is_code(path: Path) -> bool:
    return path.is_file() and _split(path.name)[1] in (".py", ".ipynb")


def _unused(folder: Path, program: Path, used: Iterable[Path] = ()) -> Iterator[str]:
    """Yield a note for each file that is not read, with the reason."""
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        hidden = any(is_left_by_systems(Path(part)) for part in inside.parts)
        if hidden or path in used or not path.is_file():
            continue
        name, ending = printable(str(inside)), _split(path.name)[1]
        if ending in KINDS:
            if path.parent != program and ending != ".txt":
                yield f"{name} was not used: it is not in the folder with most of the files."
        else:
            yield f"{name} was not used: {reason_for(ending)}."


def reason_for(ending: str) -> str:
    """Return the reason why files with this suffix are not read."""
    if ending == ".zip":
        return "there are Python files next to it"
    return "only .zip archives are unpacked" if ending in PACKED else "it is no Python file"


def sort_out(folder: Path, target: Path) -> dict[str, list[str]]:
    """Copy a class's files into one folder per student, and return these folders.

    Course systems export all files in one folder, with the student's name before each file name. An
    archive without this prefix belongs to the student whose name is the archive's name.
    """
    submissions: dict[str, list[str]] = {}
    for path in sorted(folder.iterdir()):
        student, name = student_name(path.name)
        if not student and path.suffix.lower() == ".zip":
            student = path.stem
        if student and path.is_file() and not path.is_symlink():
            (target / student).mkdir(exist_ok=True)
            shutil.copyfile(path, target / student / name)
            submissions.setdefault(student, []).append(path.name)
    return submissions


def _left_folders(folder: Path) -> list[Path]:
    """Return the folders that the operating system created and that contain programs."""
    inside = [path for path in sorted(folder.rglob("*")) if path.is_dir()]
    return [path for path in inside if is_left_by_systems(path) and any(path.glob("*.py"))]


def _student_folder(folder: Path, names: set[str]) -> Path:
    """Return the outermost folder that contains most of the named files."""
    inside = [path for path in sorted(folder.rglob("*")) if path.is_dir() and not path.is_symlink()]
    inside = [path for path in inside if not is_left_by_systems(path)]
    wanted = {name.lower() for name in names}

    def worth(place: Path) -> tuple[int, bool]:
        there = {tidy_name(path.name)[0].lower() for path in _files_in(place)}
        return len(wanted & there), any(name.endswith(".py") for name in there)

    return max([folder, *inside], key=worth)


# Archives


def _read_archives(folder: Path, archives: list[Path], names: Iterable[str]) -> Read:
    """Read the newest of several archives."""
    newest, *older = sorted(archives, key=_age, reverse=True)
    archive_name = printable(newest.name)
    notes = [f"{printable(path.name)} was not used: {archive_name} is newer." for path in older]
    notes += _unused(folder, folder, archives)
    with TemporaryDirectory(prefix="unpacked-") as unpacked:
        if problem := _unpack(newest, Path(unpacked)):
            return Read({}, [f"{archive_name} was refused: {problem}.", *notes])
        texts, more = read_folder(Path(unpacked), names)
    return Read(texts, [f"{archive_name} was unpacked.", *notes, *more])


def _age(archive: Path) -> tuple[object, int, str]:
    """Return the sort key of an archive: its newest date, duplicate number and name."""
    try:
        with zipfile.ZipFile(archive) as content:
            newest = max((member.date_time for member in content.infolist()), default=(0,))
    except (zipfile.BadZipFile, OSError, ValueError, EOFError):
        newest = (0,)
    return newest, tidy_name(archive.name)[1], archive.name


def _unpack(archive: Path, target: Path) -> str:
    """Unpack an archive, and return an error message, or an empty string on success."""
    try:
        with zipfile.ZipFile(archive) as content:
            members = content.infolist()
            if (
                len(members) > MAX_FILES
                or sum(member.file_size for member in members) > MAX_UNPACKED
            ):
                return "it has too much in it"
            for member in members:
                path = PurePosixPath(member.filename.replace("\\", "/"))
                if path.is_absolute() or ".." in path.parts or ":" in member.filename:
                    return "it has a file that would lie outside of its folder"
            content.extractall(target)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, OSError, EOFError, ValueError):
        return "it cannot be unpacked"
    return ""
