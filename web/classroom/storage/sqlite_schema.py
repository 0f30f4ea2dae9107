"""The classroom's tables in the sessions' SQLite file."""

from typing import Final

SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS class (
    code TEXT PRIMARY KEY, expires INTEGER NOT NULL,
    version INTEGER NOT NULL DEFAULT 1, students INTEGER NOT NULL DEFAULT 0,
    claims INTEGER NOT NULL DEFAULT 0, right_claims INTEGER NOT NULL DEFAULT 0,
    round INTEGER NOT NULL DEFAULT 0, is_open INTEGER NOT NULL DEFAULT 0,
    calls INTEGER NOT NULL DEFAULT 0, since REAL NOT NULL DEFAULT 0,
    every INTEGER NOT NULL DEFAULT 0, stop INTEGER NOT NULL DEFAULT 52,
    joined INTEGER NOT NULL DEFAULT 0, next_card INTEGER NOT NULL DEFAULT 1,
    data BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS class_expires ON class (expires);

CREATE TABLE IF NOT EXISTS class_student (
    class TEXT NOT NULL, number INTEGER NOT NULL, version INTEGER NOT NULL, key TEXT NOT NULL,
    data BLOB NOT NULL, PRIMARY KEY (class, number), UNIQUE (class, key)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS class_browser (
    class TEXT NOT NULL, browser TEXT NOT NULL, student INTEGER NOT NULL,
    PRIMARY KEY (class, browser)
) WITHOUT ROWID;

-- The one place of real names: a student's by their number, the roster's below zero.
CREATE TABLE IF NOT EXISTS class_name (
    class TEXT NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, PRIMARY KEY (class, number)
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS class_claim (
    class TEXT NOT NULL, number INTEGER NOT NULL, card INTEGER NOT NULL, call INTEGER NOT NULL,
    heat INTEGER NOT NULL, since INTEGER NOT NULL,
    PRIMARY KEY (class, number), UNIQUE (class, card, call)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS class_round (
    class TEXT NOT NULL, number INTEGER NOT NULL, data BLOB NOT NULL, PRIMARY KEY (class, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS class_seen (
    class TEXT NOT NULL, student INTEGER NOT NULL, at REAL NOT NULL, place TEXT NOT NULL,
    PRIMARY KEY (class, student)
) WITHOUT ROWID;

-- Rounds at tables that wait to be judged, and how each student has played.
CREATE TABLE IF NOT EXISTS class_waiting (
    number INTEGER PRIMARY KEY, class TEXT NOT NULL, student INTEGER NOT NULL, data BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS class_waits ON class_waiting (class, student);
CREATE TABLE IF NOT EXISTS class_play (
    class TEXT NOT NULL, student INTEGER NOT NULL, version INTEGER NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (class, student)
) WITHOUT ROWID;

-- Strategy charts that students have handed in; and the newest one's number, for ever.
CREATE TABLE IF NOT EXISTS class_chart (
    class TEXT NOT NULL, number INTEGER NOT NULL, student INTEGER NOT NULL,
    handed_in REAL NOT NULL, data BLOB NOT NULL, worth BLOB NOT NULL, costs BLOB NOT NULL,
    PRIMARY KEY (class, number)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS class_chart_waits ON class_chart (handed_in) WHERE worth = x'';
CREATE TABLE IF NOT EXISTS class_chart_count (
    class TEXT PRIMARY KEY, last INTEGER NOT NULL
) WITHOUT ROWID;

-- Tournaments: what each student has played, and what decisions cost.
CREATE TABLE IF NOT EXISTS class_entry (
    class TEXT NOT NULL, tournament INTEGER NOT NULL, student INTEGER NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (class, tournament, student)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS class_cost (
    class TEXT NOT NULL, tournament INTEGER NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (class, tournament)
) WITHOUT ROWID;

-- How many deals the browsers of forgotten students have seen, until their tournament is over.
CREATE TABLE IF NOT EXISTS class_deals_played (
    class TEXT PRIMARY KEY, data BLOB NOT NULL
) WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS class_link (
    key TEXT PRIMARY KEY, expires REAL NOT NULL, data BLOB NOT NULL
) WITHOUT ROWID;

-- Triggers leave nothing over, whoever deletes.
CREATE TRIGGER IF NOT EXISTS class_gone AFTER DELETE ON class BEGIN
    DELETE FROM class_student WHERE class = old.code;
    DELETE FROM class_name WHERE class = old.code;
    DELETE FROM class_claim WHERE class = old.code;
    DELETE FROM class_round WHERE class = old.code;
END;
CREATE TRIGGER IF NOT EXISTS class_student_gone AFTER DELETE ON class_student BEGIN
    DELETE FROM class_browser WHERE class = old.class AND student = old.number;
    DELETE FROM class_name WHERE class = old.class AND number = old.number;
    DELETE FROM class_seen WHERE class = old.class AND student = old.number;
END;
CREATE TRIGGER IF NOT EXISTS class_play_gone AFTER DELETE ON class_student BEGIN
    DELETE FROM class_waiting WHERE class = old.class AND student = old.number;
    DELETE FROM class_play WHERE class = old.class AND student = old.number;
END;
CREATE TRIGGER IF NOT EXISTS class_charts_gone AFTER DELETE ON class BEGIN
    DELETE FROM class_chart_count WHERE class = old.code;
END;
CREATE TRIGGER IF NOT EXISTS class_chart_gone AFTER DELETE ON class_student BEGIN
    DELETE FROM class_chart WHERE class = old.class AND student = old.number;
END;
CREATE TRIGGER IF NOT EXISTS class_costs_gone AFTER DELETE ON class BEGIN
    DELETE FROM class_cost WHERE class = old.code;
END;
CREATE TRIGGER IF NOT EXISTS class_deals_played_gone AFTER DELETE ON class BEGIN
    DELETE FROM class_deals_played WHERE class = old.code;
END;
CREATE TRIGGER IF NOT EXISTS class_entries_gone AFTER DELETE ON class_student BEGIN
    DELETE FROM class_entry WHERE class = old.class AND student = old.number;
END;
"""
