"""The site's set-up: the systemd unit, the container, and the commands of the Makefile."""

import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from flask.cli import cli

from app import command as main
from tests.support.commands import ROOT, run
from tests.support.machines import sample, unit_lines
from tests.support.serving import free_port
from web.commands import serve
from web.settings import Settings

MAKEFILE = (ROOT / "Makefile").read_text()
SCRIPTS = ("environment", "packages", "step")
DOCKERFILE = (ROOT / "Dockerfile").read_text()


def made(target: str) -> list[str]:
    """Return the commands of a target of the Makefile, with all variables expanded."""
    body = re.search(rf"^{re.escape(target)}:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    assert body
    variables = {"$(PYTHON)": "python3", "$(BIN)": ".venv/bin", "$(VENV)": ".venv"}
    text = body[1]
    for name, value in variables.items():
        text = text.replace(name, value)
    lines = [re.sub(r'^@?(\$\(STEP\) "[^"]*" )?', "", line.strip()) for line in text.splitlines()]
    return [line for line in lines if not line.startswith(("touch", "./tools/setup/packages"))]


# ---- systemd -------------------------------------------------------------------------------


def test_the_unit_starts_the_site() -> None:
    """``test_proxies.py`` serves the site with the unit's own environment."""
    (command,) = unit_lines("ExecStart")
    (folder,) = unit_lines("WorkingDirectory")
    assert command == f"{folder}/.venv/bin/python app.py"


# ---- The container -------------------------------------------------------------------------


def docker(instruction: str) -> list[str]:
    joined = DOCKERFILE.replace("\\\n", " ")
    found = re.findall(rf"^{instruction} (.*)$", joined, re.MULTILINE)
    return [re.sub(r"\s+", " ", line) for line in found]


def test_the_image_is_built_and_run_with_the_commands_of_make() -> None:
    ran = [command.strip() for line in docker("RUN") for command in line.split("&&")]
    for target in ("$(STAMP)", "$(VENV)/.compressed"):
        for command in made(target):
            assert command in ran
    (command,) = docker("CMD")
    assert " ".join(msgspec.json.decode(command)) == made("run")[-1]


def test_the_image_keeps_the_rules_of_good_images() -> None:
    (base,) = docker("FROM")
    assert re.fullmatch(r"python:3\.\d+-slim", base)
    assert docker("USER") == ["10001"]  # a numeric user ID that is not root's
    assert "useradd --uid 10001" in DOCKERFILE
    assert docker("VOLUME") == ["/data"]
    assert "PIP_NO_CACHE_DIR=1" in DOCKERFILE
    assert not docker("ADD")


# ---- make ----------------------------------------------------------------------------------


APT = """#!/bin/sh
echo "apt-get $*; started: $("$SBIN/policy-rc.d" && echo yes || echo "no ($?)")"
"""
SYSTEMCTL = """#!/bin/sh
echo "systemctl $*"
"""


@pytest.mark.parametrize("policy", [None, "#!/bin/sh\nexit 104\n"])
def test_test_servers_do_not_run_by_themselves(tmp_path: Path, policy: str | None) -> None:
    """Fakes replace Debian's programs, and nginx is missing."""
    sbin, programs = tmp_path / "sbin", tmp_path / "bin"
    for folder in (sbin, programs):
        folder.mkdir()
    scripts = {programs / "apt-get": APT, programs / "systemctl": SYSTEMCTL}
    scripts[programs / "id"] = "#!/bin/sh\necho 0\n"
    if policy:
        scripts[sbin / "policy-rc.d"] = policy
    for path, text in scripts.items():
        path.write_text(text)
        path.chmod(0o755)
    setup = (ROOT / "tools" / "setup" / "packages", "sh", "nginx", "no-such-program")
    environment = {"PATH": f"{programs}:/usr/bin:/bin", "SBIN": str(sbin)}
    done = run(*setup, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert "apt-get update" in done.stdout
    assert ("started: no (101)" in done.stdout) == (policy is None)
    assert "systemctl disable --quiet nginx\n" in done.stdout
    assert "no-such-program\n" not in done.stdout  # The package has no service of that name.
    # A file of the administrator is not replaced.
    assert (sbin / "policy-rc.d").exists() == bool(policy)
    if policy:
        assert (sbin / "policy-rc.d").read_text() == policy


PYTHON = """#!/bin/sh
# Plays an interpreter: its version, and a -m venv that makes a pip which fails as the test asks.
case "$1 $2" in
"-c import sys;"*) exit {is_old} ;;
"--version "*) echo "Python 3.10.12" ;;
"-m venv")
    mkdir -p "$3/bin"
    printf '#!/bin/sh\\necho "%s" >&2\\nexit 1\\n' "{pip_says}" >"$3/bin/pip"
    chmod +x "$3/bin/pip"
    ;;
esac
"""
TOO_OLD = (
    "Cardgames needs Python 3.11 or newer, and this is Python 3.10.12: make setup PYTHON=python3.12"
)
NO_NETWORK = (
    "The packages of requirements.txt cannot be fetched: "
    "there is no way to the package index from here."
)
UNREACHABLE = "WARNING: Retrying after NewConnectionError: Temporary failure in name resolution"


@pytest.mark.parametrize(
    ("is_old", "pip_says", "sentence"),
    [
        (1, "", TOO_OLD),
        (0, UNREACHABLE, NO_NETWORK),
        (0, "ERROR: the hashes differ", "ERROR: the hashes differ"),
    ],
    ids=["an old Python", "no network", "anything else"],
)
@pytest.mark.parametrize("before", [[], [".venv"]], ids=["none there", "one there"])
def test_failed_set_up_leaves_one_sentence_and_no_environment(
    tmp_path: Path, is_old: int, pip_says: str, sentence: str, before: list[str]
) -> None:
    """The commands run with a fake Python, in a folder with only the files for the set-up."""
    (tmp_path / "tools" / "setup").mkdir(parents=True)
    for name in ("Makefile", "requirements.txt", *(f"tools/setup/{name}" for name in SCRIPTS)):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "static").mkdir()
    programs = tmp_path / "bin"
    programs.mkdir()
    interpreter = programs / "python3"
    interpreter.write_text(PYTHON.format(is_old=is_old, pip_says=pip_says))
    interpreter.chmod(0o755)
    environment = {"PATH": f"{programs}:/usr/bin:/bin", "TMPDIR": str(tmp_path)}
    if before:
        run(interpreter, "-m", "venv", tmp_path / ".venv")
    done = run("make", "setup", cwd=tmp_path, env=environment)
    assert done.returncode == 2
    errors = [line for line in done.stderr.splitlines() if not line.startswith("make: ***")]
    assert (errors, done.stdout) == ([sentence], "Packages of the site ... failed\n")
    assert (tmp_path / ".venv").exists() == bool(before)
    assert not [*tmp_path.glob("tmp.*")]


def test_second_start_prints_only_the_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`make run` names only the missing parts of the set-up, here the database."""
    run("make", "setup")
    # Under another make, the program would also print the folders that it enters.
    steps = run("make", "--no-print-directory", "--dry-run", "run").stdout
    assert steps == ".venv/bin/python app.py\n"
    monkeypatch.setattr(serve, "serve", lambda *_: None)
    environment = {"DATA_DIR": str(tmp_path), "PORT": str(free_port()), "COACH": "off"}
    database, removed, *address = start(environment)
    assert re.fullmatch(r"Tables of the database \.\.\. \d+ s", database)
    assert removed == Settings.removed(environment)
    assert address[0].startswith("Cardgames is at http://")
    del environment["COACH"]
    assert start(environment) == address


def start(environment: Mapping[str, str]) -> list[str]:
    """Return the lines that a start of the server prints."""
    return CliRunner(env=environment).invoke(main).output.splitlines()


def test_step_names_a_part_as_it_begins() -> None:
    step = ROOT / "tools" / "setup" / "step"
    with subprocess.Popen(
        [step, "Packages", "cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        assert process.stdin
        assert process.stdout.read(12) == b"Packages ..."  # The command is still running.
        process.stdin.close()
        assert re.fullmatch(rb" \d+ s\n", process.stdout.read())
    failed = run(step, "Packages", "sh", "-c", "exit 3")
    assert (failed.returncode, failed.stdout) == (3, "Packages ... failed\n")


def test_audit_checks_the_pinned_versions() -> None:
    (command,) = made("audit")
    assert "--strict --requirement requirements.txt --require-hashes" in command
    pinned = re.findall(r"^[a-z0-9._-]+==", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    hashes = (ROOT / "requirements.txt").read_text().count("--hash=sha256:")
    assert hashes >= len(pinned) > 10


def test_commands_name_a_wrong_setting_in_a_sentence(tmp_path: Path) -> None:
    broken = CliRunner(env={"DATA_DIR": str(tmp_path), "PORT": "x"}).invoke(
        cli, ("--app", "app", "routes")
    )
    assert broken.exit_code
    assert broken.stderr == "Error: PORT must be a number from 1 to 65535, not 'x'.\n"


# ---- The unit's permissions ------------------------------------------------------------------

MOST = 1.5
"""Maximum exposure that systemd may report, out of 10."""


def test_the_unit_never_gives_up() -> None:
    """By default, systemd stops restarting a service that has ended five times in ten seconds."""
    assert unit_lines("StartLimitIntervalSec") == ["0"]
    assert unit_lines("Restart") == ["always"]


def test_the_unit_exposes_little(tmp_path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd is not installed, so nobody can say what the unit exposes")
    unit = tmp_path / "cardgames.service"
    unit.write_text(sample("ini"))
    done = run("systemd-analyze", "security", "--offline=true", "--no-pager", unit)
    level = re.search(r"Overall exposure level for cardgames.service: ([\d.]+)", done.stdout)
    assert level, done.stderr
    assert float(level[1]) <= MOST, done.stdout
