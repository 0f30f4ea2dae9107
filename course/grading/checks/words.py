"""Finds the winner in a program's messages, whose wording is not fixed.

The sheets leave the wording of messages to the student. If a message cannot be understood, no
winner is returned. The winner is then determined from the score or by a person.
"""

import re
from collections.abc import Iterator
from typing import Final

PLAYER: Final = "player"
DEALER: Final = "dealer"
NOBODY: Final = "nobody"

_PLAYERS: Final = ("player", "you", "your", "youre", "youve", "user", "human", "spieler", "du")
_DEALERS: Final = ("dealer", "computer", "house", "cpu", "croupier", "casino", "bank", "geber")
_WINNING: Final = (
    *("win", "wins", "won", "winner", "beat", "beats", "victorious"),
    *("gewinnt", "gewinnst", "gewonnen"),
)
_LOSING: Final = (
    *("lose", "loses", "lost", "loser", "losing", "beaten", "forfeit", "forfeits", "forfeited"),
    *("verliert", "verlierst", "verloren"),
)
_NAMES: Final = dict.fromkeys(_PLAYERS, PLAYER) | dict.fromkeys(_DEALERS, DEALER)
_VERBS: Final = dict.fromkeys(_WINNING, True) | dict.fromkeys(_LOSING, False)
_NEGATIONS: Final = ("not", "didnt", "doesnt", "dont", "cannot", "nicht", "never")
_WORDS: Final = {*_NAMES, *_VERBS}

_QUESTION: Final = re.compile(
    r"\b(would|do|does|want|will|shall|who|can|wanna|hit|stand|play)\b[^?.!\n]*\?"
)
_COUNTED: Final = r"\b(?:wins?|won|loss|losses|loses?|lost|draws?|ties?|tied|push(?:es)?)\b"
_TALLY: Final = re.compile(
    rf"{_COUNTED}(?:\s+by(?:\s+the)?\s+\w+)?\s*[:=]+\s*-?\d+"
    rf"|{_COUNTED}\s+-?\d+\s*(?=$|[\n,;|()\[\]/]|{_COUNTED}|\b(?:rounds?|games?|hands?|times?)\b)"
    rf"|{_COUNTED}\s+-?\d+(?=\s+\w+\s+{_COUNTED}\s+\d)"
    rf"|\b\d+\s+{_COUNTED}",
    re.MULTILINE,
)
_TIE: Final = re.compile(
    r"\b(?:tie|tied|ties|push|no ?one|nobody|neither|unentschieden|drawn)\b"
    r"|\bdraw\b(?! (?:a|an|another|one|the|more|from|cards?|again|\d))"
)
BUST: Final = re.compile(
    r"\bbust|\b(?:over|above|past|more than) (?:21|twenty)|\bexceed|\btoo (?:many|high|much)\b"
)
"""Matches a message, in lower case, that a hand is over 21."""


def plain(text: str) -> str:
    r"""Return a text in lower case with single spaces.

    >>> plain("Dealer  must take\n card…")
    'dealer must take card...'
    """
    return " ".join(text.replace("…", "...").lower().split())


def round_numbers(text: str) -> list[int]:
    """Return the numbers of rounds in a text.

    >>> round_numbers("Round 1 begins. Dealer wins round #2")
    [1, 2]
    """
    numbers = re.findall(r"round\s*(?:number|#)?\s*:?\s*(\d+)", plain(text))
    return [int(number) for number in numbers]


def winners(text: str) -> set[str]:
    r"""Return every winner that a text names: ``player``, ``dealer``, ``nobody``.

    Headings, questions, and counts such as ``Player 1`` or ``Player lost 1`` do not name a winner.

    >>> winners("Dealer went bust. Player wins round 1!"), winners("It's a tie.")
    ({'player'}, {'nobody'})
    >>> winners("Dealer is the winner!"), winners("You(Player) wins"), winners("You loose")
    ({'dealer'}, {'player'}, {'dealer'})
    >>> winners("Player 1 lost 1, draw: 0"), winners("Player stands. Would you like to win?")
    (set(), set())
    >>> winners("This round is a draw\nUser won 0 Dealer won 0 Draws 1")
    {'nobody'}
    """
    clauses = _TALLY.sub("\n", _QUESTION.sub("\n", text.lower().replace("…", ".")))
    named = {winner for clause in re.split(r"[.!?;\n|]", clauses) for winner in _named(clause)}
    if named:
        return named
    return {NOBODY} if _TIE.search(clauses) else set()


def busted(text: str) -> set[str]:
    """Return every player who is over 21 according to a text.

    >>> busted("You have busted!"), busted("Dealer: bust"), busted("Busted! New deal?")
    ({'player'}, {'dealer'}, set())
    """
    players = set()
    for clause in re.split(r"[.!?;\n|]", text.lower()):
        if match := BUST.search(clause):
            names = [_NAMES[word] for word in _words(clause) if word in _NAMES]
            before = [_NAMES[word] for word in _words(clause[: match.start()]) if word in _NAMES]
            players |= {*(before[-1:] or names[:1])}
    return players


def _named(clause: str) -> Iterator[str]:
    """Yield the winners in a clause. A verb refers to the name before it or after it."""
    words = _words(clause)
    for place, word in enumerate(words):
        if word not in _VERBS:
            continue
        if {*words[max(0, place - 3) : place]} & {*_NEGATIONS}:
            continue
        if {*words[max(0, place - 2) : place]} & {"nobody", "one", "neither"}:
            yield NOBODY
            continue
        before = [_NAMES[neighbour] for neighbour in words[:place] if neighbour in _NAMES]
        behind = [_NAMES[neighbour] for neighbour in words[place + 1 :] if neighbour in _NAMES]
        names = before[-1:] or (behind[:1] if word in ("winner", "won", "loser") else [])
        for name in names:
            yield name if _VERBS[word] else {PLAYER: DEALER, DEALER: PLAYER}[name]


def _words(clause: str) -> list[str]:
    """Return the words of a clause, with misspelt names and verbs corrected."""
    clause = re.sub(r"['\u2019](?:s\b)?", "", clause)
    words = re.findall(r"[^\W\d_]+", clause)
    return [_known(word) for word in words]


def _known(word: str) -> str:
    """Return the name or verb that a word misspells, or the word itself.

    >>> _known("loose"), _known("palyer"), _known("winns"), _known("closer")
    ('lose', 'player', 'wins', 'closer')
    """
    if word in _WORDS or len(word) < 4:  # short words resemble too many other words
        return word
    once = re.sub(r"(.)\1", r"\1", word)
    for known in _WORDS:
        exchanged = known[0] == once[0] and len(known) > 4 and sorted(known) == sorted(once)
        if once == known or exchanged:
            return known
    return word
