# SPDX-License-Identifier: Apache-2.0
"""Takes the pictures of omnet/simulations, agents connected: start, congestion, end.

    python tests/omnet/qtenv_pictures.py [NAME ...]

The pictures show Qtenv's default window on a screen of 1920x1080. Names of messages and of classes
are switched off (Qtenv's preferences, Animation), as the simulations' README advises, because they
would appear on every packet. It needs OMNETPP_ROOT, INET_ROOT, `make omnet`, Xvfb, xdotool and
ImageMagick's import. Each picture is the part of Qtenv's window that shows the network.
"""

from __future__ import annotations

import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import numpy as np
from PIL import Image

from ecnomy.markets.omnet.installation import Installation, find_installation

sys.path.insert(0, str(Path(__file__).parents[1]))
from processes import started, wait_for
from qtenv_desk import AROUND, Desk, open_desk, opp_run, serve

ROOT: Final = Path(__file__).parents[2]
SIMULATIONS: Final = ROOT / "omnet/simulations"
COLOURS: Final = 128
# The simulated time of the picture in congestion, at which the page shows its sentence.
SECONDS: Final = {
    "abilene": 50,
    "border": 100,
    "gold_silver": 60,
    "l4s": 40,
    "rem_links": 20,
    "two_links": 60,
    "voip_web": 120,
}
_PREFERENCES: Final = """\
[General]
animation_msgclassnames=false
animation_msgnames=false
rununtil-time={seconds}s
rununtil-mode={express}
"""
_EXPRESS: Final = 2  # the third of the modes of Qtenv's dialogue


def pictures(name: str, omnet: Installation) -> None:
    """The three pictures of one simulation, beside its network."""
    folder = SIMULATIONS / name
    with ExitStack() as stack:
        here = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        market, address = serve(stack, folder / "market.yaml", here / "out", f"unix:{here}/market")
        desk = stack.enter_context(open_desk(1920, 1080))
        words = [opp_run(), "-u", "Qtenv", "-c", "Market", *_where(omnet)]
        words += [f'--*.market.connect="{address}"', "omnetpp.ini"]
        preferences = _PREFERENCES.format(seconds=SECONDS[name], express=_EXPRESS)
        (here / ".qtenvrc").write_text(preferences)
        environ = desk.environ | {"HOME": str(here)}
        with (here / "log").open("w") as log:
            stack.enter_context(started(words, cwd=folder, env=environ, stdout=log, stderr=log))
        wait_for(desk.window, "Qtenv's window")
        _at_rest(desk, here / "now.png")
        desk.press("F4")  # the first event: the market joins, and agents decide
        _at_rest(desk, here / "now.png")
        taken(desk, folder / "qtenv-start.png")
        desk.press("ctrl+F5")
        time.sleep(3)
        desk.press("Return")
        _at_rest(desk, here / "now.png")
        desk.window()  # gets the keys that the dialogue had
        for key, seconds in (("F6", 1), ("F8", 3)):  # packets move
            desk.press(key)
            time.sleep(seconds)
        taken(desk, folder / "qtenv-congested.png")
        desk.press("F7")
        wait_for(lambda: market.poll() is not None, "the end of the run", 900)
        time.sleep(2)
        desk.press("Return")
        time.sleep(1)
        taken(desk, folder / "qtenv-end.png")


def _at_rest(desk: Desk, file: Path) -> None:
    """Wait until Qtenv has been still for ten seconds, because it has reached its target time."""
    before, still = desk.picture(file), 0
    while still < 5:
        time.sleep(2)
        now = desk.picture(file)
        still = still + 1 if np.array_equal(now, before) else 0
        before = now


def _where(omnet: Installation) -> list[str]:
    inet = omnet.inet.folder
    excluded = ";".join((inet / ".nedexclusions").read_text().split())
    folders = f"{omnet.modules / 'inet'}:{SIMULATIONS}:{inet / 'src'}"
    library = str(omnet.modules / "inet/ecnomy")
    return ["-l", library, "-n", folders, "-x", excluded]


def taken(desk: Desk, file: Path) -> None:
    """A picture of the network's view, in few colours."""
    picture = desk.picture(file)
    rows, columns = np.nonzero((picture == AROUND).all(axis=2))
    top, bottom, left, right = rows.min(), rows.max(), columns.min(), columns.max()
    cut = Image.fromarray(picture[top : bottom + 1, left : right + 1])
    cut.quantize(COLOURS).save(file, optimize=True)
    print(f"{file}: {cut.width} x {cut.height}")


def main(names: list[str]) -> int:
    """Take the pictures of the simulations named, or of all."""
    omnet = find_installation()
    every = [file.parent.name for file in sorted(SIMULATIONS.glob("*/market.yaml"))]
    for name in names or every:
        pictures(name, omnet)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
