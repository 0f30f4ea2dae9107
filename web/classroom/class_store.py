"""What votes, tournaments and insight keep beside the tables, until they have tables of their own."""

from collections.abc import Collection

from web.classroom.rows import ClassRows, place_of
from web.classroom.state import ClassState
from web.classroom.tournaments import TournamentStore
from web.classroom.votes import VoteStore
from web.storage.store import Put, Store


class ClassStore(ClassRows):
    """The rows of classes."""

    def __init__(self, store: Store) -> None:
        """Keep them in a store."""
        super().__init__(store)
        self.tournaments = TournamentStore(store)
        self.votes = VoteStore(store)

    def put(self, state: ClassState, rows: Put) -> None:
        """Write rows of a class."""
        expires = state.classroom.expires
        self._store.write(place_of(state.code), rows, {}, expires=expires, ends=expires)

    def forget(self, code: str, students: Collection[int]) -> None:
        """Take away what is kept of some students."""
        numbers = {f"{student:04}" for student in students}
        found = [key for key in self._scan(code, "") if key.rpartition("/")[2] in numbers]
        if found:
            self._store.write(place_of(code), dict.fromkeys(found), {})

    def delete(self, code: str) -> None:
        """Take away all that is kept of a class."""
        self._store.forget(place_of(code))
