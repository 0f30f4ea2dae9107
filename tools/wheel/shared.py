"""Hatchling's hooks for the site's wheel: its metadata and its files."""

import tomllib
from pathlib import Path
from typing import Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

PROJECT: Final = Path(__file__).resolve().parents[2]

PACKAGES: Final = ("cardgames", "course", "web")

FILES: Final = ("templates", "static", "translations", "migrations", "docs", ".browser", "dist")
"""The site's files that are not Python code.

The last two entries are included only if they were built.
"""

LEFT_OUT: Final = (
    *(".browser/runtime", "docs/pictures", "docs/notebooks"),
    "dist/cardgames_classroom",
)


class Metadata(MetadataHookInterface):
    """Copies the metadata of both wheels from the project's pyproject.toml."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Fill in the dynamic fields."""
        project = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]
        metadata["dependencies"] = project["optional-dependencies"]["site"]
        readme = (PROJECT / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": readme}
        for field in ("license", "authors", "classifiers"):
            metadata[field] = project[field]


class Files(BuildHookInterface[Any]):
    """Determines the locations of the project's files in the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - required by hatchling
        """Add the packages, and the site's other files next to ``web``."""
        included = build_data["force_include"]
        included[str(PROJECT / "app.py")] = "app.py"
        for package in PACKAGES:
            for path in sorted((PROJECT / package).rglob("*")):
                if path.is_file() and "__pycache__" not in path.parts:
                    included[str(path)] = path.relative_to(PROJECT).as_posix()
        for folder in FILES:
            for path in sorted((PROJECT / folder).rglob("*")):
                name = path.relative_to(PROJECT).as_posix()
                # Python for browsers is included without its brotli files, which are only sent over
                # TLS.
                is_spare = name.startswith(".browser/") and name.endswith(".br")
                is_spare = is_spare or "__pycache__" in path.parts
                if path.is_file() and not name.startswith(LEFT_OUT) and not is_spare:
                    included[str(path)] = f"web/files/{name}"
        for name in ("LICENSE", "NOTICE"):
            included[str(PROJECT / name)] = f"web/files/{name}"
