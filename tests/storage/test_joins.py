"""What a join reads of its class."""

from pathlib import Path

from web.storage.memory import MemoryStore

from app import create_app
from web.settings import Settings
from web.storage.store import Read


class CountingStore(MemoryStore):
    """Counts the rows that are read."""

    read_rows = 0

    def read(self, place: str, *keys: str) -> Read:
        return self._counted(super().read(place, *keys))

    def scan(self, place: str, prefix: str = "") -> Read:
        return self._counted(super().scan(place, prefix))

    def _counted(self, read: Read) -> Read:
        self.read_rows += len(read.rows)
        return read


def test_a_join_reads_as_much_of_a_large_class_as_of_a_small_one(tmp_path: Path) -> None:
    store, read = CountingStore(), list[int]()
    settings = Settings(data_dir=tmp_path, secret_key="k" * 40, classes="open")
    workers = [create_app(settings, store) for _ in range(2)]
    headers = {"Accept": "application/json", "Sec-Fetch-Site": "same-origin"}
    opened = {"title": "CS1", "nicknames": "free", "real": "no", "students": 200, "days": 14}
    made = workers[0].test_client().post("/class/new", data=opened, headers=headers)
    for number in range(30):
        before, browser = store.read_rows, workers[number % 2].test_client()
        form = {"name": f"Ann {number}", "receipt": f"receipt {number}"}
        path = f"/class/{made.json['class']}/join"  # type: ignore[index]
        assert browser.post(path, data=form, headers=headers).status_code == 200
        read.append(store.read_rows - before)
    assert read[-1] <= read[3]
