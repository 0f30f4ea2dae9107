"""Loading sheets whose files share names: an import loads the same sheet's file."""

import sys
import textwrap
from pathlib import Path

import pytest

from tests.support.sheets import ROOT, SHEETS_ROOT, piped

LOADING = {
    "by whole names": """
        from course.sheets.one.solution.user import Thing, made
        from course.sheets.two.solution.user import Thing as Other, made as other
        from course.sheets.two.solution.thing import Thing as Second
        from course.sheets.one.solution.thing import Thing as First
        import course.sheets.one.solution.thing
        assert course.sheets.one.solution.thing.Thing is First
        assert (Thing is First, Other is Second, First is Second) == (True, True, False)
        assert type(made) is First and type(other) is Second
    """,
    "bare first": """
        sys.path[:0] = [one, root]
        import thing, user
        from course.sheets.one.solution.thing import Thing
        from course.sheets.one.solution.user import made
        assert thing.Thing is Thing is type(made)
        assert sys.modules["course.sheets.one.solution.user"] is user
    """,
    "bare last": """
        from course.sheets.one.solution.user import made
        sys.path[:0] = [one, root]
        import thing, user
        assert type(made) is thing.Thing
        assert sys.modules["course.sheets.one.solution.user"] is user
    """,
    "bare names of one, whole names of the other": """
        sys.path[:0] = [one, root]
        import thing
        before = list(sys.path)
        from course.sheets.two.solution.user import Thing
        assert sys.path == before
        import user
        assert (user.Thing is thing.Thing, Thing is thing.Thing) == (True, False)
        assert type(user.made) is thing.Thing
    """,
    "one sheet's file uses the other's": """
        sys.path[:0] = [two, root]
        import borrowed
        import thing
        from course.sheets.one.solution.thing import Thing
        assert borrowed.Thing is Thing is not thing.Thing
        assert thing.__file__.startswith(two)
    """,
    "a stand-in": """
        from types import ModuleType
        sys.modules["thing"] = stand_in = ModuleType("thing")
        stand_in.Thing = int
        from course.sheets.one.solution.user import made
        assert made == 0
    """,
    "one program after the other": """
        import runpy
        for folder in ("one", "two", "one"):
            end = runpy.run_module(f"course.sheets.{folder}.solution.user", run_name="__main__")
            assert sys.modules[end["Thing"].__module__].__file__.startswith(globals()[folder])
    """,
    "a file that fails": """
        import pytest
        with pytest.raises(ZeroDivisionError):
            import course.sheets.one.solution.failing
        assert not {"failing", "course.sheets.one.solution.failing"} & set(sys.modules)
    """,
}


@pytest.mark.parametrize("program", LOADING.values(), ids=LOADING)
def test_loading_sheets_with_equal_file_names(tmp_path: Path, program: str) -> None:
    """S0-44: a file's bare and full names give the same class, even after other loads."""
    package = tmp_path / "course" / "sheets"
    for folder in ("one", "two"):
        solution = package / folder / "solution"
        solution.mkdir(parents=True)
        (package / folder / "__init__.py").touch()
        (solution / "thing.py").write_text("class Thing: pass\n")
        (solution / "user.py").write_text("from thing import Thing\nmade = Thing()\n")
        (solution / "failing.py").write_text("import thing\n1 / 0\n")
    (package / "two" / "solution" / "borrowed.py").write_text(
        "from course.sheets.one.solution.thing import Thing\nimport thing\n"
    )
    (package / "__init__.py").write_bytes((SHEETS_ROOT / "__init__.py").read_bytes())
    (package.parent / "__init__.py").touch()
    start = (
        f"import sys\nroot, one, two = {str(tmp_path)!r}, {str(package / 'one' / 'solution')!r}, "
    )
    start += f"{str(package / 'two' / 'solution')!r}\n"
    whole = start + textwrap.dedent(program)
    run = [sys.executable, "-W", "error", "-c", whole]
    assert piped(run, tmp_path, "") == ""


def test_two_sheets_in_one_program() -> None:
    """S0-44: each sheet's own modules are loaded, by full and by bare names."""
    program = """
import sys
from course.sheets.simple21.solution.simple21 import Player
import course.sheets.one_deck.solution.proj09
import course.sheets.blackjack.solution.blackjack
sys.path.insert(0, "course/sheets/simple21/solution")
import playingCards
Player().addToHand(playingCards.Card("KS", True))
"""
    assert piped([sys.executable, "-W", "error", "-c", program], ROOT, "") == ""
