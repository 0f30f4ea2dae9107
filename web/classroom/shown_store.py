"""What students have shown of their own classes: a row of the class for each student."""

from collections.abc import Collection, Iterable

from web.classroom.rows import ClassCounters, ClassRows, place_of, student_key
from web.storage.store import Put, Read, pack

Passed = dict[str, tuple[int, ...]]
"""The numbers of the requirements that pass, by the sheet's slug."""


class ShownRows(ClassRows):
    """What students have shown, as rows of their class."""

    def show(self, code: str, student: int, slug: str, passed: Iterable[int]) -> bool:
        """Keep what of a sheet passes, in the place of what was shown before.

        Returns:
            whether there is such a student.
        """
        key, owner = shown_key(student), student_key(student)

        def rows(_: ClassCounters, read: Read) -> Put | None:
            if not read[owner].revision:
                return None
            return {key: pack((read.value(key, Passed) or {}) | {slug: tuple(passed)})}

        return self._update(code, (key, owner), rows)

    def of(self, code: str, student: int) -> Passed:
        """Return what a student has shown."""
        key = shown_key(student)
        return self._store.read(place_of(code), key).value(key, Passed) or {}

    def all(self, code: str) -> dict[int, Passed]:
        """Return what the students of a class have shown, by their numbers."""
        found = self._store.scan(place_of(code), "shown/").values("shown/", Passed)
        return {int(number): passed for number, passed in found.items()}

    def keys_of(self, _: str, students: Collection[int]) -> list[str]:
        """Return the keys of what some students have shown."""
        return [*map(shown_key, students)]


def shown_key(student: int) -> str:
    """Return the key of what a student has shown."""
    return f"shown/{student:04}"
