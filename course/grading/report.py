"""A report for a terminal: each requirement with its calls, expected and actual results.

If ``rich`` is installed (``pip install 'cardgames-course[color]'``) and the output is a terminal,
the report is coloured. Otherwise the same lines are plain text.
"""

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from importlib import import_module
from importlib.util import find_spec
from textwrap import wrap
from typing import Final, TextIO

from course.grading.grader import Report, Result
from course.grading.sandbox.terminal import Transcript

WIDTH: Final = 100
COLUMN: Final = 46
"""Width of a transcript that is shown next to another transcript, in characters."""

GAP: Final = " ... "

MAX_CALLS: Final = 12
"""Maximum number of calls that are shown for a requirement. Earlier calls are omitted."""

MAX_LINES: Final = 60
"""Maximum number of lines of transcripts that are shown. Earlier lines are omitted."""

Line = tuple[str, str]
"""A line of the report: its style in ``rich`` (or an empty string), and its text."""


def figure(points: float) -> str:
    """Return points without a trailing fraction of 0.

    >>> figure(2.0), figure(0.5)
    ('2', '0.5')
    """
    return f"{points:g}"


def total_points(report: Report) -> str:
    """Return the points of a report, and the number of unobserved requirements.

    Only requirements that were observed to be met earn points.
    """
    total = f"{figure(report.points)} of {figure(report.worth)} points"
    if report.hidden:
        total += f", {report.hidden} hidden by what is not met"
    return total + (f", and {report.open} to be looked at by a person" if report.open else "")


def report_lines(report: Report, *, brief: bool = False) -> Iterator[Line]:
    """Yield a report's lines: the unmet, the unobserved and then the met requirements.

    If ``brief`` is true, the requirements that are met are omitted.
    """
    yield "bold", f"{report.sheet.title}: {report.name}"
    for note in report.notes:
        yield "", note
    for result in report.results:
        if result.lost or (result.decided and not result.passed):
            yield from _result_lines(result)
    yield from _unseen_lines(report.results)
    for result in report.results:
        if result.passed and (result.decided or not brief):
            yield from _result_lines(result)
    yield "", ""
    full = report.points == report.worth
    yield ("bold green" if full else "bold"), total_points(report)
    yield from _accepted(report.results)
    yield from _ungraded(report)


def _result_lines(result: Result, *, with_details: bool = True) -> Iterator[Line]:
    points = f"{figure(result.points)}/{figure(result.worth)}"
    head = f"{points:>5}  {result.requirement.id:6} "
    first, *more = wrap(result.requirement.text, WIDTH - len(head)) or [""]
    style = "green" if result.passed else "bold red" if result.lost else "yellow"
    yield style, head + first
    yield from ((style, " " * len(head) + line) for line in more)
    if result.decided:
        yield "yellow", f"{' ' * 14}decided   {result.decided}"
    if with_details and not result.passed:
        yield from (("", f"{' ' * 14}{line}") for line in details(result))


def why_unseen(result: Result) -> str:
    """Return the reason why a requirement could not be observed, as one line."""
    if result.because:
        return f"because of {result.because}, and without points until that is fixed"
    return " ".join(result.outcome.unseen.split())


def _unseen_lines(results: Iterable[Result]) -> Iterator[Line]:
    """Yield the requirements that could not be observed, with one line per cause."""
    unseen = [result for result in results if result.unseen and not result.decided]
    for why in dict.fromkeys(map(why_unseen, unseen)):
        yield "bold yellow", f"Not seen: {why}"
        for result in unseen:
            if why_unseen(result) == why:
                yield from _result_lines(result, with_details=False)


def details(result: Result) -> Iterator[str]:
    """Yield the details of lost points: calls, results, and transcripts side by side."""
    if result.unseen:
        yield from _labelled("not seen", wrap(why_unseen(result), WIDTH - 24))
        return
    yield from cause(result)
    if result.outcome.transcript:
        yield from side_by_side(result.outcome.transcript, result.reference)


def cause(result: Result) -> Iterator[str]:
    """Yield the calls, the expected result and the actual result."""
    outcome = result.outcome
    calls = list(outcome.called[-MAX_CALLS:])
    if len(calls) < len(outcome.called):
        calls.insert(0, "...")
    yield from _labelled("called", calls)
    if outcome.problem:
        yield from _labelled("problem", [outcome.problem])
    else:
        yield from _labelled("expected", outcome.expected.splitlines() or [""])
        yield from _labelled("got", outcome.got.splitlines() or ["nothing"])


def _labelled(label: str, lines: Iterable[str]) -> Iterator[str]:
    for line in lines:
        yield f"{label:9} {line}".rstrip()
        label = ""


def side_by_side(transcript: Transcript, reference: Transcript | None) -> Iterator[str]:
    r"""Yield two transcripts side by side; ``|`` marks the lines that differ.

    >>> one = Transcript([("shown", "Hit? "), ("typed", "h"), ("shown", "Bust.")])
    >>> two = Transcript([("shown", "Hit? "), ("typed", "h"), ("shown", "21!")])
    >>> print(*side_by_side(one, two), sep="\n")
    the solution                                     yours
    Hit? h                                           Hit? h
    21!                                            | Bust.
    """
    yours = transcript.on_a_terminal().splitlines()
    reference_lines = reference.on_a_terminal().splitlines() if reference else []
    yield f"{'the solution' if reference else '':{COLUMN}}   yours"
    rows = list(_aligned(reference_lines, yours))
    if len(rows) > MAX_LINES:
        yield f"... {len(rows) - MAX_LINES} lines before this"
    for left, mark, right in rows[-MAX_LINES:]:
        yield f"{_clipped(left):{COLUMN}} {mark} {_clipped(right)}".rstrip()


def _aligned(left: list[str], right: list[str]) -> Iterator[tuple[str, str, str]]:
    plain_left, plain_right = ([" ".join(line.split()) for line in side] for side in (left, right))
    matcher = SequenceMatcher(None, plain_left, plain_right, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        for place in range(max(b - a, d - c)):
            one = left[a + place] if a + place < b else ""
            other = right[c + place] if c + place < d else ""
            yield one, " " if tag == "equal" else "|", other


def _clipped(line: str) -> str:
    """Return a line truncated to the width of a column.

    The end of the line contains the typed answer and is always preserved.
    """
    line = "".join(char if char.isprintable() else "?" for char in line.expandtabs(4))
    half = (COLUMN - len(GAP)) // 2
    return line if len(line) <= COLUMN else f"{line[:half]}{GAP}{line[-half:]}"


def _accepted(results: Iterable[Result]) -> Iterator[Line]:
    notes = [(result.requirement.id, note) for result in results for note in result.outcome.notes]
    if notes:
        yield "", ""
        yield "bold", "Accepted, though our solution does it otherwise:"
        for name, note in notes:
            yield "", f"  {name:6} {note}"


def _ungraded(report: Report) -> Iterator[Line]:
    left = [requirement for requirement in report.sheet.requirements if requirement.ungraded]
    yield from [("", "")] * bool(left)
    for requirement in left:
        first, *more = wrap(f"{requirement.id:6} {requirement.ungraded}", WIDTH - 2)
        yield "dim", f"  {first}"
        yield from (("dim", f"{' ' * 9}{line}") for line in more)


def write(lines: Iterable[Line], out: TextIO) -> None:
    """Write lines, coloured if ``rich`` is installed and the output is a terminal."""
    if find_spec("rich") and out.isatty():
        console = import_module("rich.console").Console(file=out, highlight=False)
        for style, text in lines:
            console.print(text, style=style or None, markup=False, soft_wrap=True)
    else:
        out.writelines(f"{text}\n" for _, text in lines)
