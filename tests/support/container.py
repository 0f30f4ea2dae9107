"""The container image that is built from the Dockerfile, and containers that run it.

buildah builds the image and runc runs it, without a daemon and without a registry. A Debian system
that debootstrap creates replaces ``python:3.11-slim``. The containers use this machine's network.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Self

import yaml

from tests.support.commands import Done, run
from tests.support.serving import ROOT, listens

PROGRAMS: Final = ("buildah", "runc", "debootstrap")
BASE: Final = "docker.io/library/python:3.11-slim"
SUITE: Final = "bookworm"
"""The Debian release that contains Python 3.11."""

SERVICE: Final[dict[str, Any]] = yaml.safe_load((ROOT / "compose.yaml").read_text())["x-app"]
"""The permissions and settings of the app in ``compose.yaml``."""


def missing() -> str:
    """Return the reason why no image can be built on this machine, or an empty string."""
    if os.geteuid() != 0:
        return "building an image with buildah in a chroot needs root"
    found = [name for name in PROGRAMS if not shutil.which(name)]
    return f"{', '.join(found)} missing" if found else ""


class Image:
    """The image of this checkout."""

    def __init__(self, folder: Path) -> None:
        """Build the image.

        Args:
            folder: An empty folder for the images, which need about 1 GB.
        """
        self._folder = folder
        archive = _debian()
        (folder / "base").mkdir()
        (folder / "base" / "base.tar").hardlink_to(archive)
        (folder / "base" / "Dockerfile").write_text("FROM scratch\nADD base.tar /\n")
        self._buildah("build", "--layers=false", "--tag", BASE, folder / "base")
        (folder / "base" / "base.tar").unlink()
        (folder / "pip.conf").write_text(_pip_settings())
        files = [f"--volume={path}:{path}:ro" for path in _pip_paths(_pip_settings())]
        self._buildah(
            *("build", "--isolation=chroot", "--network=host", "--pull=never", "--layers=false"),
            *(*files, f"--volume={folder / 'pip.conf'}:/etc/pip.conf:ro"),
            *("--tag", "cardgames", ROOT),
        )
        described = json.loads(self._buildah("inspect", "--type=image", "cardgames"))
        self.config: dict[str, Any] = described["OCIv1"]["config"]
        container = self._buildah("from", "--pull=never", "cardgames").strip()
        self.root = Path(self._buildah("mount", container).strip())

    def _buildah(self, *arguments: object) -> str:
        # The driver vfs copies files instead of mounting overlays, so it works inside other
        # containers.
        storage = ("--root", self._folder / "store", "--runroot", self._folder / "run")
        done = run("buildah", *storage, "--storage-driver", "vfs", *arguments)
        assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-4_000:]
        return done.stdout


def _debian() -> Path:
    """Return an archive of Debian with Python, created once per machine in 130 s."""
    archive = Path.home() / ".cache" / "cardgames-tests" / f"debian-{SUITE}.tar"
    if not archive.exists():
        draft = archive.with_suffix("")
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        packages = "--include=python3,python3-venv,ca-certificates"
        done = run("debootstrap", "--variant=minbase", packages, SUITE, draft)
        assert done.returncode == 0, done.stdout[-4_000:]
        spare = ("--exclude=./var/cache/apt/archives/*.deb", "--exclude=./var/lib/apt/lists/*")
        done = run("tar", "-C", draft, *spare, "-cf", f"{archive}.part", ".")
        assert done.returncode == 0, done.stderr
        shutil.rmtree(draft)
        Path(f"{archive}.part").rename(archive)
    return archive


def _pip_settings() -> str:
    """Return this machine's pip settings as a file.

    The image also uses these settings.
    """
    lines = run(sys.executable, "-m", "pip", "config", "list").stdout.splitlines()
    pairs = (line.partition("=") for line in lines)
    settings = {name.rpartition(".")[2]: value.strip("'") for name, _, value in pairs}
    return "\n".join(["[global]", *(f"{name} = {value}" for name, value in settings.items())])


def _pip_paths(settings: str) -> list[Path]:
    """Return the files and folders to which this machine's pip settings refer."""
    named = re.findall(r"(?<![\w:/])(?:file://)?(/[\w./-]+?)(?:/simple/?)?(?=\s|$)", settings)
    return [path for path in sorted({Path(name) for name in named}) if path.exists()]


class Container:
    """A container of the image, with the permissions that ``compose.yaml`` grants."""

    def __init__(
        self,
        image: Image,
        folder: Path,
        port: int,
        mounts: Sequence[Path] = (),
        **environment: str,
    ) -> None:
        """Prepare a container.

        Args:
            image: The built image that the container runs.
            folder: A folder for the volume and the log. The folder is not deleted with the
                container.
            port: Port on which the site listens.
            mounts: Folders of this machine that are mounted at the same paths.
            **environment: Settings in addition to the image's settings.
        """
        self.port, self._folder, self._image = port, folder, image
        self.name = f"cardgames-{port}"
        self.volume = folder / "data"
        self._environment = {"PORT": str(port), **environment}
        user = int(image.config["User"])
        if not self.volume.exists():  # Docker initializes a new volume with the image's folder.
            folder.mkdir(exist_ok=True)
            shutil.copytree(image.root / "data", self.volume)
            os.chown(self.volume, user, 0)
        (folder / "config.json").write_text(json.dumps(self._bundle(user, mounts)))
        self._process: subprocess.Popen[bytes] | None = None

    def _bundle(self, user: int, mounts: Sequence[Path]) -> Mapping[str, Any]:
        """Return the configuration in the format of the Open Container Initiative."""
        config = self._image.config
        assert SERVICE["cap_drop"] == ["ALL"]
        variables = [f"{name}={value}" for name, value in self._environment.items()]
        folders = {path: str(path) for path in mounts} | {self.volume: "/data"}
        temporary = {"destination": SERVICE["tmpfs"], "type": "tmpfs", "source": "tmpfs"}
        return {
            "ociVersion": "1.0.0",
            "process": {
                "user": {"uid": user, "gid": user},
                "args": config["Cmd"],
                "env": [*config["Env"], *variables],
                "cwd": config["WorkingDir"],
                "capabilities": {},
                "noNewPrivileges": "no-new-privileges:true" in SERVICE["security_opt"],
            },
            "root": {"path": str(self._image.root), "readonly": SERVICE["read_only"]},
            "mounts": [
                {"destination": "/proc", "type": "proc", "source": "proc"},
                {"destination": "/dev", "type": "tmpfs", "source": "tmpfs"},
                {"destination": "/dev/shm", "type": "tmpfs", "source": "shm"},
                temporary,
                *(
                    {"destination": place, "source": str(path), "options": ["bind", "rw"]}
                    for path, place in folders.items()
                ),
            ],
            "linux": {"namespaces": [{"type": kind} for kind in ("pid", "ipc", "uts", "mount")]},
        }

    def __enter__(self) -> Self:
        """Start the container and wait until it responds."""
        run("runc", "delete", "--force", self.name)
        command = ["runc", "run", "--bundle", str(self._folder)]
        with (self._folder / "container.log").open("ab") as log:
            self._process = subprocess.Popen([*command, self.name], stdout=log, stderr=log)
        ends = time.monotonic() + 120
        while not listens(self.port):
            if self._process.poll() is not None or time.monotonic() > ends:
                raise RuntimeError(self.log())
            time.sleep(0.05)
        return self

    def __exit__(self, *_error: object) -> None:
        """Stop the container in the same way as Docker."""
        assert self._process
        run("runc", "kill", self.name, "TERM")
        try:
            self._process.wait(20)
        finally:
            run("runc", "delete", "--force", self.name)

    def log(self) -> str:
        return (self._folder / "container.log").read_text()

    def run(self, *command: str) -> Done:
        """Run a command in the container, as ``docker exec`` does."""
        return run("runc", "exec", self.name, *command)
