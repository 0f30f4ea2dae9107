"""What is kept of deals: each in a place of its own, with the results of those who played it.

``deal`` is what its cards follow from, ``count`` how many results have come, and ``result/…`` one
of them, by what stands for its player. A player's own result lies beside their session, in another
place, so a hint ``due/…`` says before that is written whose session to look into: a result that did
not come, since the server was killed between the two, is added by the next look at the deal.
"""

from typing import Final, NamedTuple

from web.storage.hints import Hint, Hints
from web.storage.store import DAY, LIFETIME, Put, Store, StoreFull, decide, pack

MAX_RESULTS: Final = 1_000
"""Maximum number of results that are kept of a deal: the first."""

DEALS_SHARE: Final = 4
"""Divisor of a store's limit: deals and their results may take the quotient."""

DAILY_LIFETIME: Final = 7 * DAY
"""How long a daily deal is kept with its results, in seconds."""

_ROW_OVERHEAD: Final = 200  # about how many bytes a deal or a result takes besides its own

_BYTES: Final = "deal-bytes"
"""The place with the row ``days``: how many bytes of deals and results came on each."""


class Results(NamedTuple):
    """What has become of a deal."""

    came: dict[str, bytes]
    """The results by their players, in the order they came."""

    due: list[Hint]
    """The players whose results have come or are about to, with the ids of their sessions."""


def keep_deal(store: Store, deal: str, data: bytes, most: int, *, lifetime: int = LIFETIME) -> bool:
    """Keep a deal; return False if its id is taken.

    Args:
        store: where it is kept.
        deal: its id.
        data: the deal.
        most: maximum number of bytes that deals may take in two weeks; 0 for any number.
        lifetime: for how many seconds it is kept.

    Raises:
        StoreFull: there is no room for it.
    """
    _charge(store, len(data), most)
    expires = int(store.read(_place(deal)).now) + lifetime
    return store.write(_place(deal), {"deal": data}, {"deal": 0}, expires=expires)


def deal_data(store: Store, deal: str) -> bytes:
    """Return what was kept of a deal; nothing of one that has expired."""
    return store.read(_place(deal), "deal")["deal"].data


def now(store: Store) -> float:
    """Return the store's time, in seconds since 1970."""
    return store.read(_BYTES).now


def due(store: Store, deal: str) -> Hints:
    """Return the hints of whose results are about to come, by what stands for the players."""
    return Hints(store, _place(deal), "due/", beside="deal")


def add_result(store: Store, deal: str, player: str, data: bytes, most: int) -> None:
    """Keep a player's result of a deal, however often it is added.

    Of a player's results the first counts, of a deal's the first thousand; one that comes too
    late, for a deal that is gone, or when there is no room, is left out.
    """
    result = f"result/{player}"
    has_room = True
    if not store.read(_place(deal), result)[result].revision:
        try:
            _charge(store, len(data), most)
        except StoreFull:
            has_room = False  # the hint goes all the same, or it would be followed again and again

    def attempt() -> bool | None:
        read = store.read(_place(deal), "deal", "count", result)
        count = read.value("count", int) or 0
        put: Put = {f"due/{player}": None}
        if has_room and count < MAX_RESULTS and not read[result].revision:
            put = {**put, "count": pack(count + 1), result: pack((count + 1, data))}
        seen = read.seen(["deal", "count", result])
        return not read["deal"].revision or store.write(_place(deal), put, seen) or None

    decide(attempt)


def results(store: Store, deal: str) -> Results:
    """Return what has become of a deal; what cannot be read is left out."""
    read = store.scan(_place(deal))
    came = read.values("result/", tuple[int, bytes])
    in_order = sorted(came, key=lambda player: came[player][0])
    return Results({player: came[player][1] for player in in_order}, due(store, deal).among(read))


def _charge(store: Store, size: int, most: int) -> None:
    """Count bytes that a deal or a result takes.

    Raises:
        StoreFull: deals have taken as many as they may.
    """

    def attempt() -> bool | None:
        read = store.read(_BYTES, "days")
        today = int(read.now) // DAY
        kept = read.value("days", dict[int, int]) or {}
        days = {day: taken for day, taken in kept.items() if day > today - LIFETIME // DAY}
        days[today] = days.get(today, 0) + size + _ROW_OVERHEAD
        if sum(days.values()) > most:
            raise StoreFull
        put, expires = {"days": pack(days)}, int(read.now) + LIFETIME + DAY
        return store.write(_BYTES, put, read.seen(["days"]), expires=expires) or None

    if most:
        decide(attempt)


def _place(deal: str) -> str:
    return f"deal/{deal}"
