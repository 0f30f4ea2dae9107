"""What was played: the rounds of a table, replays that can be sent on, and seals to check.

A replay's address is the record itself (:mod:`cardgames.record`), signed with the server's key, so
it needs no session and nothing in the store. Playing a round differently is an address too: the
record of its beginning, with other decisions.
"""

import csv
import io
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice, takewhile
from typing import Any, Final

import flask
import msgspec
from werkzeug.exceptions import NotFound

from cardgames import GAMES
from cardgames.coach import NOTHING_YET, Ledger, asked, judged
from cardgames.game import AnyGame, Phase, Verdict
from cardgames.luck import Luck, seal
from cardgames.odds import Odds
from cardgames.record import (
    InvalidRecord,
    Played,
    Record,
    parse,
    parsed_moves,
    replayed,
    single_moves,
)
from cardgames.transcript import MOST_ROUNDS, TRANSCRIPTS
from cardgames.twentyone import TwentyOne
from cardgames.war import shown_name
from cardgames.words import Text, counted
from web import coach
from web.answers import as_json, as_page, wants_json
from web.book import Book, Kept, Sealed
from web.look import as_written
from web.sessions import HexSigner, answered, current
from web.tables import Page, game_called, place_of, table_at

A_PAGE: Final = 20
"""So many rounds are listed on a page."""

CHANGED: Final = Text("This record was changed after it was signed, so it is not shown.")
NOTHING: Final = Text("In this record nothing is played.")
NOT_FINISHED: Final = Text("Only a finished round, with all its cards, can be played differently.")

_EXTENSION: Final = "records"

history = flask.Blueprint("history", __name__)
log = logging.getLogger("cardgames.history")


@dataclass(frozen=True, slots=True)
class Entry:
    """A finished round as the history lists it."""

    number: int
    finished: datetime
    winner: Text | str
    """Who won, in words."""

    verdict: Verdict | None
    view: Any
    """The table at the round's end; nothing where the way there is long, as in War."""

    moves: tuple[Text, ...]
    """What was decided."""

    judgements: tuple[Text, ...]
    """What each decision was worth, at the tables that have a coach."""

    deal: str
    """The deal link that it was played from, if any."""


@dataclass(frozen=True, slots=True)
class Replay:
    """Where a replay stands, and where it can go."""

    record: Record
    signed: bool
    step: int
    steps: int
    decision: Text | None
    """What was decided next."""

    odds: Odds | None
    judgement: Text | None
    """What that decision was worth."""

    address: str
    """The address of the whole replay, without a step; empty if a practice came from none."""

    what_if: str = ""
    """Where the round can be played on differently from here; empty where it cannot."""

    practice: bool = False
    """Whether this is no round that was played, but one in which the player tries something."""

    choices: tuple[tuple[Text | str, str], ...] = ()
    """In practice: what can be done now, and its address."""

    def at(self, step: int) -> str:
        """Return the address of a step."""
        return f"{self.address}?step={step}"


def init(app: flask.Flask) -> None:
    """Give an app the pages about what was played."""
    app.extensions[_EXTENSION] = HexSigner(app, "cardgames-record")
    app.register_blueprint(history)


# ---- The rounds of a table -----------------------------------------------------------------


@history.get("/<slug>/history")
def listed(slug: str) -> flask.Response:
    """List the finished rounds of a table, the newest first."""
    game = game_called(slug)
    rounds = _rounds(game)
    if wants_json():
        return as_json(_exported(game, rounds))
    winners = dict.fromkeys((*game.sides, *(kept.winner(game) for _, kept in rounds)))
    wanted = flask.request.args.get("result", "")
    if wanted:
        rounds = [(number, kept) for number, kept in rounds if kept.winner(game) == wanted]
    pages = max(1, -(-len(rounds) // A_PAGE))
    page = min(_asked_number("page"), pages)
    return as_page(
        "history.html",
        game=game,
        entries=[_entry(game, *one) for one in rounds[(page - 1) * A_PAGE :][:A_PAGE]],
        winners={winner: in_words(game, winner) for winner in winners if winner},
        wanted=wanted,
        found=len(rounds),
        page=page,
        pages=pages,
    )


@history.get("/<slug>/history.json")
def as_json_file(slug: str) -> flask.Response:
    """Send all finished rounds of a table as a file that ``cardgames.verify`` checks."""
    game = game_called(slug)
    answer = as_json(_exported(game, _rounds(game)))
    answer.headers["Content-Disposition"] = f'attachment; filename="{slug}-history.json"'
    return answer


@history.get("/<slug>/history.csv")
def as_csv_file(slug: str) -> flask.Response:
    """Send all finished rounds of a table as a table for a spreadsheet."""
    game = game_called(slug)
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(("round", "finished", "result", "decisions", "cost", "record"))
    for one in _exported(game, _rounds(game))["rounds"]:
        decisions = " ".join(move.text for move in parse(one["record"]).moves[1:])
        cost = sum(decision["cost"] for decision in one["decisions"])
        result = _no_formula(one["result"])
        writer.writerow(
            (one["number"], one["finished"], result, decisions, round(cost, 6), one["record"])
        )
    name = {"Content-Disposition": f'attachment; filename="{slug}-history.csv"'}
    return flask.Response(out.getvalue(), mimetype="text/csv", headers=name)


@history.get("/<slug>/history/<int(max=999999999):number>")
def one_round(slug: str, number: int) -> flask.Response:
    """Lead to the replay of a round, at an address that can be sent on.

    Raises:
        NotFound: there is no such round any more.
        ServiceUnavailable: the store does not answer.
    """
    game = game_called(slug)
    sid = current().sid
    found = answered(lambda store: store.round(sid, slug, number))
    kept = _read_round(slug, found.data) if found else None
    if kept is None:
        raise NotFound
    opened = _is_opened(number, kept, table_at(place_of(slug)).book)
    _, record = _told_of(game, kept, opened=opened)
    where = f"{flask.request.script_root}/replay/{in_address(record)}~{signature(record.text)}"
    return flask.Response(status=303, headers={"Location": where})


@history.get("/<slug>/transcript")
def transcript(slug: str) -> flask.Response:
    """Send the game so far as the sheet's terminal program prints it, as a text file."""
    if slug not in TRANSCRIPTS:
        raise NotFound
    text = TRANSCRIPTS[slug](_records(GAMES[slug]))
    name = {"Content-Disposition": f'attachment; filename="{slug}.txt"'}
    return flask.Response(text, mimetype="text/plain", headers=name)


def _records(game: AnyGame) -> list[Record]:
    """Return the rounds at a table since its tally was cleared, the oldest first, the open one too.

    None is older than one that cannot be read, nor than the last 50 before the one on the table.
    """
    table = table_at(place_of(game.slug))
    is_open = game.phase(table.state) is Phase.PLAYING
    most = min(len(table.book.course), MOST_ROUNDS + (not is_open))
    readable = takewhile(bool, (kept for _, kept in _all_rounds(game))) if most else ()
    played_here = (kept for kept in readable if kept and not kept.deal)
    records = [kept.record(game) for kept in islice(played_here, most)][::-1]
    if is_open:
        try:
            records.append(table.book.recorded(game))
        except InvalidRecord as error:  # dealt by a version that kept no book
            log.warning("a round of %s could not be read: %s", game.slug, type(error).__name__)
    return records


# ---- Replays -------------------------------------------------------------------------------


@history.get("/replay/<path:token>")
def replay(token: str) -> flask.Response:
    """Show a step of a record, whoever has played it."""
    try:
        record, signed = _read(token)
        states = replayed(record)
    except InvalidRecord as error:
        return _refused(error.args[0])
    game = GAMES[record.game]
    steps = len(states) - 1
    step = min(_asked_number("step"), steps)
    state = states[step]
    moves = list(single_moves(record.moves))
    judgements = _judgements(game, record)[step - 1 :]
    can_go_on = record.is_whole and _is_open(game, state)
    shown = Replay(
        record=record,
        signed=signed,
        step=step,
        steps=steps,
        decision=_done(game, Played(moves[step][0])) if step < steps else None,
        odds=_odds(game, state),
        judgement=judgements[0] if judgements else None,
        address=_replay_address(token),
        what_if=_practice(record.up_to(step), token) if can_go_on else "",
    )
    if wants_json():
        return as_json(_told(game, shown, state, moves[step:]))
    return _shown(game, state, shown)


@history.get("/what-if/<path:text>")
def what_if(text: str) -> flask.Response:
    """Play a finished round on differently, with its own cards; nothing of it is ever counted."""
    of = flask.request.args.get("of", "")
    try:
        record = _beginning(text)
        # Beyond the cards of the round any luck will do, as long as it is the same every time.
        states = replayed(record, Luck(lambda: seal("practice", [record.game])))
    except InvalidRecord as error:
        return _refused(error.args[0])
    game, state = GAMES[record.game], states[-1]
    legal = game.moves(state) if _is_open(game, state) else ()
    shown = Replay(
        record=record,
        signed=False,
        step=len(states) - 1,
        steps=len(states) - 1,
        decision=None,
        odds=_odds(game, state),
        judgement=None,
        address=_replay_address(of),
        practice=True,
        choices=tuple(
            (move.label, _practice(record.followed_by(move.name), of))
            for move in legal
            if not move.fields and move.name != "new"
        ),
    )
    if wants_json():
        return as_json(_told(game, shown, state, []))
    return _shown(game, state, shown)


# ---- Seals ---------------------------------------------------------------------------------


@history.get("/<slug>/seals")
def seals(slug: str) -> flask.Response:
    """Show what is sealed at a table, what was opened last, and how to check it."""
    game = game_called(slug)
    book = table_at(place_of(slug)).book
    sealed = [one.digest for one in book.sealed]
    opened = [_opened(one) for one in reversed(book.opened)]
    if wants_json():
        return as_json({"game": slug, "sealed": sealed, "opened": opened})
    return as_page("seals.html", game=game, sealed=sealed, opened=opened)


# ---- What the answers are made of ----------------------------------------------------------


def in_words(game: AnyGame, winner: str) -> Text | str:
    """Say who won; at War a player's own name."""
    return _WON[winner] if winner in game.sides else shown_name(winner)


_WON: Final[Mapping[str, Text]] = {
    "player": Text("You won"),
    "dealer": Text("The dealer won"),
    "tie": Text("A tie"),
    "A": Text("Player A won"),
    "B": Text("Player B won"),
}

_DONE: Final[Mapping[str, Text]] = {
    "hit": Text("Hit"),
    "Stay": Text("Stay"),
    "Stand": Text("Stand"),
    "forfeit": Text("Gave the round up"),
}


def _done(game: AnyGame, move: Played) -> Text:
    """Say what was done."""
    match move.name:
        case "turn":
            return counted("{number} turn", "{number} turns", move.times)
        case "call":
            return counted("{number} call", "{number} calls", move.times)
        case "stay" if isinstance(game, TwentyOne):
            done = _DONE[game.rules.stay]
        case name:
            done = _DONE.get(name, Text(name))
    return Text("{move} x {times}", move=done, times=move.times) if move.times > 1 else done


def in_address(record: Record) -> str:
    """Return a record as it stands in an address, without blanks."""
    return as_written(record.text.replace(" ", "_"))


def signature(text: str) -> str:
    """Return the server's signature of a record."""
    return _signer().get_signature(text).decode()


def _signer() -> HexSigner:
    signer: HexSigner = flask.current_app.extensions[_EXTENSION]
    return signer


def _read(token: str) -> tuple[Record, bool]:
    """Read the record in an address, and say whether this server has signed it.

    Raises:
        InvalidRecord: it is none, or was changed after it was signed.
    """
    address, tilde, signed_with = token.partition("~")
    text = address.replace("_", " ")
    if tilde and not _signer().verify_signature(text, signed_with):
        raise InvalidRecord(CHANGED)
    record = parse(text)
    if not record.steps:
        raise InvalidRecord(NOTHING)
    return record, bool(tilde)


def _beginning(address: str) -> Record:
    """Read the beginning of a round that is played on.

    Raises:
        InvalidRecord: it is none, or not all of the round's cards are known.
    """
    record = parse(address.replace("_", " "))
    decides = isinstance(GAMES[record.game], TwentyOne)
    if not record.is_whole or record.result or not decides:
        raise InvalidRecord(NOT_FINISHED)
    return record


def _replay_address(token: str) -> str:
    """Return the address of a replay from what stood in one; none of none."""
    return f"{flask.request.script_root}/replay/{as_written(token)}" if token else ""


def _practice(record: Record, of: str) -> str:
    """Return the address at which a round is played on from its beginning.

    Args:
        record: its beginning.
        of: what stands in the address of the round's replay, to lead back there.
    """
    address = f"{flask.request.script_root}/what-if/{in_address(record)}"
    return f"{address}?of={as_written(of)}" if of else address


def _refused(sentence: Text) -> flask.Response:
    """Answer a record that cannot be shown."""
    if wants_json():
        return as_json({"error": sentence}, 422)
    return as_page("error.html", 422, sentence=sentence)


def _is_open(game: AnyGame, state: Any) -> bool:
    """Say whether there is something to decide."""
    return isinstance(game, TwentyOne) and game.phase(state) is Phase.PLAYING


def _odds(game: AnyGame, state: Any) -> Odds | None:
    """Return the odds of a decision that is open, where there are any."""
    return asked(game.rules, state) if coach.offered(game) and _is_open(game, state) else None


def _judgements(game: AnyGame, record: Record) -> tuple[Text, ...]:
    """Say what each decision of a finished round was worth, where there is a coach."""
    if not coach.offered(game):
        return ()
    return tuple(coach.judgement(one, game.rules) for one in _ledger(record.text).last)


@lru_cache(maxsize=2048)
def _ledger(text: str) -> Ledger:
    """Return what the decisions of a recorded round were worth; nothing while it is not over."""
    record = parse(text)
    game = GAMES[record.game]
    if not isinstance(game, TwentyOne) or not record.result:
        return NOTHING_YET
    return judged(game.rules, replayed(record), [name for name, _ in single_moves(record.moves)])


def _shown(game: AnyGame, state: Any, replay: Replay) -> flask.Response:
    """Return the table of a replay as a page."""
    page = Page(
        game=game,
        root=flask.request.script_root,
        path=f"/{game.slug}",
        step=replay.step,
        phase=game.phase(state),
        view=game.page_view(state),
        moves={},
        verdict=game.verdict(state),
        note="",
        refusal=None,
        advice=None,
        typed={},
        course=(),
        replay=replay,
    )
    return as_page(f"{game.slug}.html", page=page)


def _told(
    game: AnyGame, replay: Replay, state: Any, left: list[tuple[str, dict[str, str]]]
) -> dict[str, Any]:
    """Return a replay for a program."""
    return {
        "game": game.slug,
        "record": replay.record.text,
        "signed": replay.signed,
        "practice": replay.practice,
        "step": replay.step,
        "steps": replay.steps,
        "decision": left[0][0] if left else None,
        "view": game.view(state),
    }


def _rounds(game: AnyGame) -> list[tuple[int, Kept]]:
    """Return the finished rounds of the player's table that can be read, the newest first."""
    return [(number, kept) for number, kept in _all_rounds(game) if kept]


def _all_rounds(game: AnyGame) -> Iterator[tuple[int, Kept | None]]:
    """Yield the finished rounds, the newest first; nothing for one that cannot be read.

    Raises:
        ServiceUnavailable: the store does not answer.
    """
    sid = current().sid
    for one in answered(lambda store: store.rounds(sid, game.slug)):
        yield one.number, _read_round(game.slug, one.data)


@lru_cache(maxsize=4096)
def _read_round(slug: str, data: bytes) -> Kept | None:
    """Read a round; of one that cannot be read, or not be replayed any more, the log tells."""
    try:
        kept = Kept.unpacked(data)
        kept.record(GAMES[slug])
    except (msgspec.MsgspecError, InvalidRecord) as error:
        log.warning("a round of %s could not be read: %s", slug, type(error).__name__)
        return None
    return kept


def _is_opened(number: int, kept: Kept, book: Book) -> bool:
    """Say whether all cards of a round may be seen: a deal link's were its own."""
    return bool(kept.deal) or number <= book.opened_to


def _told_of(game: AnyGame, kept: Kept, *, opened: bool) -> tuple[Record, Record]:
    """Return the whole record of a round, and what of it may be told."""
    if opened:
        record = kept.record(game)
        return record, record
    record, state = kept.recorded(game)
    return record, record.masked(game.shown(state))


def _entry(game: AnyGame, number: int, kept: Kept) -> Entry:
    """Return a round as it is listed."""
    view: Any = None
    verdict = None
    judgements: tuple[Text, ...] = ()
    if not game.reshuffles:
        record, state = kept.recorded(game)
        view, verdict = game.page_view(state), game.verdict(state)
        judgements = _judgements(game, record)
    moves = parsed_moves(kept.moves.split(" "))
    return Entry(
        number=number,
        finished=datetime.fromtimestamp(kept.at, UTC),
        winner=in_words(game, kept.winner(game)),
        verdict=verdict,
        view=view,
        moves=tuple(_done(game, move) for move in moves[1:]),
        judgements=judgements,
        deal=kept.deal,
    )


def _exported(game: AnyGame, rounds: list[tuple[int, Kept]]) -> dict[str, Any]:
    """Return rounds for a program, in the shape that ``cardgames.verify`` reads."""
    book = table_at(place_of(game.slug)).book
    return {
        "game": game.slug,
        "rounds": [
            _exported_round(game, number, kept, opened=_is_opened(number, kept, book))
            for number, kept in rounds
        ],
    }


def _exported_round(game: AnyGame, number: int, kept: Kept, *, opened: bool) -> dict[str, Any]:
    whole, record = _told_of(game, kept, opened=opened)
    last = _ledger(whole.text).last if coach.offered(game) else ()
    return {
        "number": number,
        "finished": datetime.fromtimestamp(kept.at, UTC).isoformat(),
        "result": kept.winner(game),
        "deal": kept.deal,
        "decisions": [
            {"chosen": one.chosen, "best": one.best, "cost": round(one.cost, 9)} for one in last
        ],
        "record": record.text,
        "signature": signature(record.text),
        "opened": opened,
        "shuffles": [
            _opened(sealed) if opened else {"seal": sealed.digest} for sealed in kept.sealed(whole)
        ],
    }


def _opened(sealed: Sealed) -> dict[str, str]:
    """Return an opened seal: what was shown, and what it was made of."""
    salt = sealed.salt.hex()
    order = " ".join(sealed.order)
    return {"seal": sealed.digest, "salt": salt, "order": order}


def _asked_number(name: str) -> int:
    """Return a number that the address asks for, 1 unless it is a larger one."""
    text = flask.request.args.get(name, "")
    return max(1, int(text[:6])) if text[:6].isascii() and text[:6].isdigit() else 1


def _no_formula(text: str) -> str:
    """Return a player's own name so that no spreadsheet takes it for a formula."""
    return f"'{text}" if text[:1] in "=+-@\t\r" and text else text
