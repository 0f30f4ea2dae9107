"""Prints what the site is made of, as a CycloneDX document: ``make sbom``."""

import re
from collections.abc import Iterator
from contextlib import suppress
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from cardgames import __version__

PROJECT: Final = Path(__file__).parents[1]

PINNED: Final = re.compile(r"^([\w.-]+)==([\w.]+)", re.MULTILINE)

TROVE: Final = {
    "MIT License": "MIT",
    "BSD License": "BSD-3-Clause",
    "Apache Software License": "Apache-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
}
"""SPDX's names for those of the package index."""

_licenses: Final = LicenseFactory()


def main() -> None:
    """Print the document."""
    print(JsonV1Dot6(document()).output_as_string(indent=2))  # noqa: T201 - what it is for


def document() -> Bom:
    """Return what `make setup` installs and fetches, with versions and licences."""
    bom = Bom()
    bom.metadata.component = made_component("cardgames-classroom", __version__, "MIT")
    parts = [*installed_parts()]
    for name, version in pinned("requirements-browser.txt"):
        parts.append(made_component(name, version, "MPL-2.0 AND PSF-2.0 AND Apache-2.0"))
    bom.components.update(parts)
    bom.register_dependency(bom.metadata.component, parts)
    return bom


def pinned(file: str) -> list[tuple[str, str]]:
    """Return the names and versions that a file of requirements pins."""
    return PINNED.findall((PROJECT / file).read_text())


def installed_parts() -> Iterator[Component]:
    """Yield the packages that are installed; some are for other systems or Pythons only."""
    for name, _ in pinned("requirements.txt"):
        with suppress(PackageNotFoundError):
            found = distribution(name)
            yield made_component(found.name, found.version, license_of(found))


def license_of(found: Distribution) -> str:
    """Return a package's licence in SPDX's words.

    Raises:
        LookupError: it names none that is known.
    """
    metadata = found.metadata.json
    named = str(metadata.get("license_expression") or metadata.get("license", ""))
    if named and len(named) < 30:  # noqa: PLR2004 - longer is a licence's whole text
        return TROVE.get(named, named)
    for line in metadata.get("classifier", []):
        if line.startswith("License :: "):
            return TROVE[line.rpartition(" :: ")[2]]
    raise LookupError(found.name)


def made_component(name: str, version: str, spdx: str) -> Component:
    """Return a package as a component."""
    return Component(
        type=ComponentType.LIBRARY,
        name=name,
        version=version,
        purl=PackageURL("pypi", name=name.lower(), version=version),
        licenses=[_licenses.make_from_string(spdx)],
    )


if __name__ == "__main__":
    main()
