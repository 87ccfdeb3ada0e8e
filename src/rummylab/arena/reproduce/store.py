"""Raw results on disk: an experiment is played once for one configuration, and never again."""

from __future__ import annotations

import json
import logging
import os
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

log = logging.getLogger(__name__)
Arrays = dict[str, npt.NDArray[Any]]


class Store:
    """A directory with one file per experiment, which holds arrays and the configuration that made them."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        directory.mkdir(parents=True, exist_ok=True)

    def get(self, name: str, config: Mapping[str, Any], make: Callable[[], Arrays]) -> Arrays:
        """Return the arrays of *name*, from disk if *config* is the same, else made anew and kept."""
        path = self.directory / f"{name}.npz"
        wanted = json.dumps(config, sort_keys=True)
        found = self._read(path)
        if found is not None and str(found.pop("config", "")) == wanted:
            return found
        arrays = make()
        part = path.with_suffix(".part")
        with part.open("wb") as file:
            np.savez_compressed(file, allow_pickle=False, config=np.array(wanted), **arrays)
        os.replace(part, path)  # a killed run leaves either the whole file or none
        return arrays

    def _read(self, path: Path) -> Arrays | None:
        try:
            with np.load(path) as file:
                return dict(file)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile) as error:
            log.warning("%s cannot be read (%s); it is made anew", path.name, error)
            return None
