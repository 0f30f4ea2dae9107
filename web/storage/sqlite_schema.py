"""The tables of the SQLite file.

Those that version 66b51c4 knows have kept their columns, so that it can be put back: it inserts
without naming them. What is new lies in tables of its own, and triggers do what it would not do.
"""

from typing import Final

from web.storage.protocol import ESTABLISHED

SCHEMA: Final = f"""
CREATE TABLE IF NOT EXISTS session (
    id TEXT PRIMARY KEY, version INTEGER NOT NULL, expires INTEGER NOT NULL, data BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS session_expires ON session (expires);

-- Those that give way to others when the store is full.
CREATE INDEX IF NOT EXISTS session_new ON session (expires) WHERE version < {ESTABLISHED};

-- A small number stands for a session's table in the key of each of its rounds.
CREATE TABLE IF NOT EXISTS history (
    key INTEGER PRIMARY KEY, session TEXT NOT NULL, game TEXT NOT NULL, UNIQUE (session, game)
);
CREATE TABLE IF NOT EXISTS round (
    history INTEGER NOT NULL, number INTEGER NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (history, number)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS deal (
    id TEXT PRIMARY KEY, expires INTEGER NOT NULL, data BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS deal_expires ON deal (expires);
CREATE TABLE IF NOT EXISTS result (
    deal TEXT NOT NULL, number INTEGER NOT NULL, player TEXT NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (deal, number), UNIQUE (deal, player)
) WITHOUT ROWID;

-- How many bytes of deals and results came on each of the last days.
CREATE TABLE IF NOT EXISTS deal_bytes (day INTEGER PRIMARY KEY, bytes INTEGER NOT NULL);

-- The fingerprints of the signing keys, and when each was last in use.
CREATE TABLE IF NOT EXISTS signing_key (
    fingerprint TEXT PRIMARY KEY, seen INTEGER NOT NULL
) WITHOUT ROWID;

-- Nothing is left over, whoever deletes.
CREATE TRIGGER IF NOT EXISTS session_rounds AFTER DELETE ON session BEGIN
    DELETE FROM round WHERE history IN (SELECT key FROM history WHERE session = old.id);
    DELETE FROM history WHERE session = old.id;
END;
CREATE TRIGGER IF NOT EXISTS deal_results AFTER DELETE ON deal BEGIN
    DELETE FROM result WHERE deal = old.id;
END;

-- No round is ever replaced, nor put before a newer one. An older version numbers rounds by its
-- session alone, which may have been begun anew: what it writes then comes after the newest.
CREATE TRIGGER IF NOT EXISTS round_numbered BEFORE INSERT ON round
WHEN new.number <= (SELECT max(number) FROM round WHERE history = new.history) BEGIN
    INSERT INTO round SELECT new.history, max(number) + 1, new.data
        FROM round WHERE history = new.history;
    SELECT raise(IGNORE);
END;
"""  # noqa: S608 - the one value in it is a number of ours
