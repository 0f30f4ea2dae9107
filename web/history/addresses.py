"""The URLs of replays, which contain the record itself, signed with the server's key.

A replay therefore needs neither a session nor a row in the database. The URL of a round with other
decisions contains the record of the round's beginning, with these decisions.
"""

import flask
from werkzeug.routing import PathConverter

from cardgames.moves import Move
from cardgames.records.line import InvalidRecord, line, parse
from cardgames.records.record import Record
from cardgames.text import Text
from web.http.addresses import quote_path
from web.signing import is_signed, sign_record

CHANGED = Text("This record was changed after it was signed, so it is not shown.")
NOTHING = Text("This record contains no moves.")


class RecordConverter(PathConverter):
    """A URL converter for records, without percent-encoding.

    A percent-encoded character may look like a card.
    """

    def to_url(self, value: str) -> str:
        """Return a record string that is quoted for a URL."""
        return quote_path(value)


def signed_record(record: Record) -> str:
    """Return a record with its signature, in the format of URLs."""
    text = line(record)
    return f"{_in_address(text)}~{sign_record(text)}"


def replay_address(record: Record) -> str:
    """Return the URL of a record's replay."""
    return flask.url_for("replays.show", token=signed_record(record))


def what_if_address(record: Record, token: str) -> str:
    """Return the URL to play a round again from a given beginning.

    Args:
        record: The record of the round's beginning.
        token: The token of the complete round's replay, for a link to the replay.
    """
    address = flask.url_for("replays.what_if", text=_in_address(line(record)))
    # url_for would percent-encode the characters = and , in a query.
    return f"{address}?of={quote_path(token)}" if token else address


def other_decision(record: Record, step: int, move: Move) -> str:
    """Return the URL to continue a round with a different decision.

    Args:
        record: The complete round.
        step: The number of moves before the decision.
        move: The move to make instead.
    """
    beginning = record.truncated(step).with_action(move.read({}))
    return what_if_address(beginning, signed_record(record))


def parse_token(token: str) -> tuple[Record, bool]:
    """Return the record in a URL, and whether this server signed the record.

    Raises:
        InvalidRecord: If the record cannot be read, or was changed after it was signed.
    """
    address, tilde, signature = token.partition("~")
    text = decode_record(address)
    if tilde and not is_signed(text, signature):
        raise InvalidRecord(CHANGED)
    record = parse(text)
    if not record.steps:
        raise InvalidRecord(NOTHING)
    return record, bool(tilde)


def decode_record(address: str) -> str:
    """Return a record as a string, from its form in a URL.

    >>> decode_record("bingo_1_deal:bingo__deck=AC2C")
    'bingo 1 deal:bingo_deck=AC2C'
    """
    return "_".join(part.replace("_", " ") for part in address.split("__"))


def _in_address(text: str) -> str:
    """Encode a record for a URL.

    Each underscore is doubled, and each space becomes an underscore.
    """
    return text.replace("_", "__").replace(" ", "_")
