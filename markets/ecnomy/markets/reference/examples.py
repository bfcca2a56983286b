# SPDX-License-Identifier: Apache-2.0
"""Finds and copies the scenarios, sweeps and studies that come with the package (configs/)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from ecnomy.agents.errors import InputError
from ecnomy.markets.inputs.reading import known_name
from ecnomy.markets.support.intact import write_synced

__all__ = ["copy_all", "copy_example", "examples_folder", "files_of", "packaged", "titles"]

CONFIGS: Final = "configs"
_SHIPPED: Final = ("examples/*.yaml", "examples/*.py", "sweeps/*.yaml", "studies/*/*.yaml")
_TITLE: Final = re.compile(r"^title: *(.+?) *$", re.MULTILINE)
# Patterns of the files that a scenario needs: its base, and Python files in its comments.
_BESIDE: Final = re.compile(r"^extends: *(\S+)|\b(\w+\.py)\b", re.MULTILINE)


def examples_folder() -> Path:
    """Return configs/examples of the source tree, or the wheel's copy.

    Raises:
        InputError: both folders are missing.
    """
    here = Path(__file__).resolve().parent
    for folder in (here.parents[3] / "configs" / "examples", here / "examples"):
        if folder.is_dir():
            return folder
    raise InputError(
        "the examples are not installed; copy them from configs/examples of ecnomy's source tree"
    )


def titles() -> dict[str, str]:
    """Return the titles of the examples by name, in the order of the names.

    Raises:
        InputError: the examples are not installed.
    """
    titles_by_name = {}
    for file in examples_folder().glob("*.yaml"):
        title = _TITLE.search(file.read_text(encoding="utf-8"))
        titles_by_name[file.stem] = title[1].strip("\"'") if title else ""
    return dict(sorted(titles_by_name.items()))


def copy_example(name: str, folder: Path) -> list[Path]:
    """Copy an example and the files that it needs. Existing files stay.

    Args:
        name: name of the example, as in `titles`.
        folder: target folder; created if missing.

    Returns:
        The scenario, then the other files.

    Raises:
        InputError: the example does not exist or one of the files exists with other contents (in
            both cases, nothing is copied), or the folder cannot be written.
    """
    known = titles()
    if name not in known:
        raise InputError(f"{name}: no such example, expected {known_name(name, known)}")
    return _copied({folder / file.name: file for file in files_of(name)}, folder)


def copy_all(folder: Path) -> list[Path]:
    """Copy all examples, sweeps and studies to `configs/` in a folder. Existing files stay.

    Args:
        folder: target folder; created if missing.

    Returns:
        The copied files, sorted.

    Raises:
        InputError: as for `copy_example`.
    """
    shipped = packaged()
    return _copied({folder / name: shipped[name] for name in sorted(shipped)}, folder)


def packaged() -> dict[str, Path]:
    """Return the shipped files by their paths in a copy, such as `configs/sweeps/morris.yaml`.

    Raises:
        InputError: the examples are not installed.
    """
    root = examples_folder().parent
    files = [file for pattern in _SHIPPED for file in root.glob(pattern)]
    return {f"{CONFIGS}/{file.relative_to(root).as_posix()}": file for file in files}


def _copied(files: dict[Path, Path], folder: Path) -> list[Path]:
    """Copy files to the paths that are their keys. Copy nothing if a path has other contents."""
    texts = {to: file.read_bytes() for to, file in files.items()}
    try:
        for file, text in texts.items():
            if file.exists() and not (file.is_file() and file.read_bytes() == text):
                raise InputError(
                    f"{file} already exists with different contents; choose another "
                    "folder with --into"
                )
        for file, text in texts.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            write_synced(file, text, synced=False)
    except OSError as error:
        raise InputError(f"{folder}: cannot be written ({error.strerror})") from None
    return list(texts)


def files_of(name: str) -> list[Path]:
    """Return the files of an example: its scenario, its base files and its Python files.

    Raises:
        InputError: the examples are not installed.
    """
    folder = examples_folder()
    files = [folder / f"{name}.yaml"]
    for file in files:  # the list grows in the loop
        matches = _BESIDE.findall(file.read_text(encoding="utf-8"))
        beside = [folder / (base or module) for base, module in matches]
        files += [one for one in beside if one.is_file() and one not in files]
    return files
