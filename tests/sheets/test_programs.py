"""The sheets' programs on the command line of a shell, and their modules in a REPL.

``transcripts`` has a complete game of each interactive program, written by hand from its sheet,
with the typed text between « and »; Bingo's is computed in ``bingo.py``. In the transcript of
Simple 21, the discards return with QS on top, followed by the other cards in the order of their
codes.
"""

import re
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.sheets import bingo
from tests.support.sheets import (
    DECKS,
    EOF,
    INTERRUPT,
    Transcript,
    arranged,
    command,
    either_way,
    in_terminal,
    mostly_by_file,
    piped,
    sheet,
)

TRANSCRIPTS = Path(__file__).with_name("transcripts")


class Program(NamedTuple):
    """A sheet's program: file, known shuffles, answers to prompts, and last output."""

    module: str
    sorted_by: str
    prompts: list[tuple[str, str]]
    end: str
    """A pattern for the last output. This output follows the end of the input, or a key that ends
    the program.
    """

    def game(self, folder: str) -> Transcript:
        file = TRANSCRIPTS / f"{folder}.txt"
        return Transcript(file.read_text()) if file.exists() else bingo.WHOLE_GAME


CODE = "card.getRank() + card.getSuit()"
GOODBYE = re.escape("\nThank you for playing. Goodbye...\n")
FILES = [(bingo.ASKS_FILE, str(DECKS / f"{name}.txt")) for name in (
    "bingoDeck", "callingDeck_line_Awins")]  # fmt: skip
PROGRAMS = {
    "simple21": Program(
        "assignment2",
        f"({CODE} != 'QS', {CODE})",
        [
            (
                "Name of file that should be used to populate the deck of cards: ",
                str(DECKS / "shuffledDeck.txt"),
            ),
            ("Would you like to HIT (H/h) or STAY (S/s)? >> ", "s"),
            ("Would you like to play another round (Y/N)? >> ", "y"),
        ],
        GOODBYE,
    ),
    "blackjack": Program(
        "blackjack",
        "'DT ST HT D6 H7 CK H9 S3 D4'.find(str(card))",
        [("Deal, Hit, Stand, Quit? >> ", "d")] * 2,
        GOODBYE,
    ),
    "one_deck": Program(
        "proj09",
        "'Jh 6s Th 8h 9s Kc 7d 4d 5h 8c Qd 3c 2d'.find(str(card))",
        [("Another card (Y/y/H/h or Enter)? ", "s"), ("Another round (Y/y or Enter)? ", "y")],
        r"\n\nGame over\.\n(Rounds .*: \d\n){3}",
    ),
    "bingo": Program(
        "bingo",
        CODE,
        [*FILES, (bingo.ASKS_MODE, "l"), (bingo.ASKS_SPEED, "y"), (bingo.ASKS_AGAIN, "y")],
        f"\n{re.escape(bingo.GOODBYE)}",
    ),
}
every_program = pytest.mark.parametrize("folder", PROGRAMS)


def shown(text: str) -> str:
    """Return the output without the messages about invalid lines.

    Only Bingo prints such messages.
    """
    return re.sub(r"Not a card, and .*\n", "", text)


@every_program
@either_way
def test_a_whole_game_with_piped_input(folder: str, how: str) -> None:
    """S0-65 to S0-74, S1-25 to S1-35, S2-20 to S2-28, S4-52 to S4-62: valid and invalid answers.

    S0-8, S0-10, S0-31, S2-2, S2-6, S4-42, S4-48, A4-13, A4-18 and A4-24 are also covered, in
    several rounds.
    """
    program = PROGRAMS[folder]
    game = program.game(folder)
    run = arranged(folder, program.module, how, program.sorted_by)
    assert shown(piped(run, DECKS, game.stdin)) == game.piped
    if folder == "one_deck":  # its answers must match exactly, even with "\r\n"
        assert piped(run, DECKS, game.stdin.replace("\n", "\r\n")) == game.piped


@every_program
@mostly_by_file
def test_a_whole_game_in_a_terminal(folder: str, how: str) -> None:
    """S0-65, S1-25, S2-2, S4-53: the output is the same on a terminal."""
    program = PROGRAMS[folder]
    game = program.game(folder)
    run = arranged(folder, program.module, how, program.sorted_by)
    assert shown(in_terminal(run, DECKS, game.answers)) == game.shown


PLACES = [(name, place) for name, each in PROGRAMS.items() for place in range(len(each.prompts))]


@pytest.mark.parametrize(("folder", "place"), PLACES)
@mostly_by_file
def test_the_end_of_the_input_ends_politely(folder: str, place: int, how: str) -> None:
    """S0-73, S1-25, S2-16, S2-21, S4-62: at each prompt the input may end, without a traceback.

    The last answer is "no" to both questions of One-deck Blackjack, so the prompt is repeated.
    """
    program = PROGRAMS[folder]
    stdin = "".join(f"{answer}\n" for _, answer in program.prompts[:place])
    printed = piped(*command(folder, program.module, how), stdin)
    last, _ = program.prompts[-1 if folder == "one_deck" else place]
    assert re.search(rf"{re.escape(last)}{program.end}\Z", printed), printed
    assert printed.count(f"{program.prompts[0][0]}\nYour cards: ") == (
        folder == "one_deck" and place == 0
    )


@every_program
@pytest.mark.parametrize("key", [EOF, INTERRUPT], ids=["ctrl-d", "ctrl-c"])
def test_keys_to_end_the_game(folder: str, key: str) -> None:
    """S0-73, S1-34, S2-20, S4-62: Ctrl-C on a real terminal, at the first and the last prompt."""
    program = PROGRAMS[folder]
    run = command(folder, program.module, "file")
    for place in (0, len(program.prompts) - 1):
        if (folder, key, place) != ("one_deck", EOF, 0):  # at this prompt, EOF means "stand"
            typed = [*program.prompts[:place], (program.prompts[place][0], key)]
            screen = in_terminal(*run, typed)
            assert re.search(rf"{program.end}\Z", screen), screen
            assert "Traceback" not in screen


LONG = {
    "simple21": f"{DECKS / 'shuffledDeck.txt'}\n" + "s\ny\n" * 3000,
    "bingo": f"{FILES[0][1]}\n{FILES[1][1]}\n" + "L\nN\ny\n" * 300,
    "one_deck": "n\ny\n" * 2000,
    "blackjack": "d\n" * 3000,
    "war": "",
}
"""The input for programs that print a lot of output."""


@pytest.mark.parametrize("folder", LONG)
@mostly_by_file
def test_nobody_reads_to_the_end(folder: str, how: str) -> None:
    """The reader stops early, as in ``| head -2``, but the program prints no error."""
    module = PROGRAMS[folder].module if folder in PROGRAMS else "war"
    arguments, place = command(folder, module, how)
    with subprocess.Popen(
        arguments, cwd=place, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        run.stdout.close()
        try:
            run.stdin.write(LONG[folder].encode())
            run.stdin.close()
        except BrokenPipeError:
            pass  # the program may end before it has read everything
        said = run.stderr.read()
        assert (said, run.wait(60)) == (b"", 0)


STARS = {
    ("simple21", "playingCards"): "Card Deck EmptyDeckException",
    ("simple21", "simple21"): "Player Table",
    ("simple21", "queues"): "BoundedQueue CircularQueue",
    ("bingo", "playingCards"): "Card Deck",
    ("bingo", "bingo"): "Bingo Table",
    ("bingo", "queues"): "BoundedQueue CircularQueue",
    ("blackjack", "simplegui"): "KEY_MAP create_frame create_timer load_image load_sound",
    ("one_deck", "cards"): "Card Deck",
    ("war", "war"): "Card Deck Game Hand Player",
}


@pytest.mark.parametrize(("folder", "module"), STARS)
def test_star_import(folder: str, module: str) -> None:
    """A module exports the sheet's names, and no names that the module imports itself."""
    with sheet(folder) as load:
        names: dict[str, object] = {}
        loaded = load(module)
        exec(f"from {module} import *", names)
    wanted = {*STARS[folder, module].split()}
    assert {*names} - {"__builtins__"} == wanted == {*loaded.__all__}
