"""What holds for every inspector: its figure, its files, its data, and markup in names is escaped."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from every_inspector import KINDS, every_inspector

import glassroom
import tensorglass
from glassroom import show, watch
from glassroom.drawing.path_data import segments_of
from glassroom.drawing.sheet import THEMES, parts_of
from glassroom.inspectors.base import Inspector

torch = pytest.importorskip("torch", reason="the pictures of real PyTorch tensors need PyTorch")
matplotlib = pytest.importorskip("matplotlib", reason="figures need matplotlib (extra: course)")
matplotlib.use("agg")

LIBRARIES = (tensorglass, torch)
PACKAGE = Path(glassroom.__file__).parent
SCHEMA = json.loads((PACKAGE / "snapshot.schema.json").read_text(encoding="utf-8"))
HOSTILE = "<script>alert('&')</script>$x_1$\x1b[31m{inner}"


@pytest.fixture(scope="module", params=LIBRARIES, ids=lambda lib: lib.__name__)
def inspectors(request) -> dict[str, Inspector]:
    return every_inspector(request.param)


@pytest.fixture(scope="module")
def hostile() -> dict[str, Inspector]:
    return every_inspector(torch, HOSTILE)


def words_of(svg: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


# --- figures ----------------------------------------------------------------------------------------------------------


@pytest.mark.sweep
@pytest.mark.parametrize("kind", KINDS)
def test_a_figure_says_what_the_svg_says_at_the_same_places(inspectors, kind: str) -> None:
    picture = inspectors[kind]
    axes = picture.plot()
    drawn = [(text.get_text(), text.get_position()) for text in axes.texts]
    svg = ElementTree.fromstring(picture.svg).iter("{http://www.w3.org/2000/svg}text")
    assert drawn == [(text.text or "", (float(text.get("x")), float(text.get("y")))) for text in svg]
    shapes = re.findall(r"<(?:rect|path|circle) ", picture.svg)
    hidden = picture.svg.count('class="cursor"')
    assert len(axes.patches) == len(shapes) - hidden > 0
    matplotlib.pyplot.close(axes.figure)


def test_a_figure_is_as_large_as_its_picture_or_fits_into_the_axes_it_is_given() -> None:
    picture = show(a=torch.arange(6))
    own = picture.plot()
    width, height = map(int, re.search(r'width="(\d+)" height="(\d+)"', picture.svg).groups())
    assert own.figure.get_size_inches().tolist() == [width / 96, height / 96]
    figure, (left, right) = matplotlib.pyplot.subplots(1, 2)
    assert picture.plot(ax=left) is left
    figure.canvas.draw()
    assert left.get_window_extent().x1 <= right.get_window_extent().x0
    large, small = own.texts[0].get_fontsize(), left.texts[0].get_fontsize()
    assert 0 < small < large, "letters shrink with the picture"
    matplotlib.pyplot.close("all")


def test_a_figure_takes_the_theme_of_its_axes() -> None:
    picture = show(a=torch.arange(6))
    with matplotlib.pyplot.style.context("dark_background"):
        dark = picture.plot()
    assert dark.patches[0].get_facecolor() == picture.plot(theme="dark").patches[0].get_facecolor()
    assert dark.patches[0].get_facecolor() != picture.plot().patches[0].get_facecolor()
    with pytest.raises(ValueError, match="'light' or 'dark'"):
        picture.plot(theme="pink")
    matplotlib.pyplot.close("all")


def test_colors_are_told_apart_without_color() -> None:
    lanes = show(**{f"t{n}": torch.arange(3) for n in range(6)})
    patterns = {
        part.look.get("stroke-dasharray", "")
        for part in parts_of(lanes.svg)
        if "lane" in part.attributes.get("class", "")
    }
    assert len(patterns) == 6


SHEETS_OF_ALL = {"tokens", "canvas"}
STATIC = {
    path.parent.name if path.stem == "picture" else path.stem: path
    for folder in ("drawing", "inspectors")
    for path in sorted((PACKAGE / folder).rglob("*.css"))
    if path.stem != "widget"
}


@pytest.mark.parametrize("picture", sorted(STATIC))
def test_a_pictures_own_sheet_speaks_of_its_own_picture(picture: str) -> None:
    path = STATIC[picture]
    selectors = re.findall(r"([^{}]+)\{", re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL))
    assert selectors
    if picture not in SHEETS_OF_ALL:
        own = re.compile(rf"\s*(\.gr)?\.gr-{picture}-svg ")
        strangers = [selector for selector in selectors if not own.match(selector)]
        assert strangers == [], "all sheets of a page hold for all of its pictures"


def test_matplotlib_and_rich_are_imported_only_when_they_are_asked_for() -> None:
    program = (
        "import sys, numpy as np; from glassroom import show; picture = show(np.zeros(2))\n"
        "picture.svg, picture.html, repr(picture), picture.print()\n"
        "print({'matplotlib', 'rich', 'cssselect2'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("set()\n")


def test_paths_are_read_in_all_that_pictures_use_and_refused_otherwise() -> None:
    ends = [segment.points[-1] for segment in segments_of("M1 2h3v-1l-2 2C0 0 1 1 5 5zm1-1.5 2 0")]
    assert ends == [(1, 2), (4, 2), (4, 1), (2, 3), (5, 5), (1, 2), (2, 0.5), (4, 0.5)]
    with pytest.raises(ValueError, match="'A' is not understood"):
        segments_of("M0 0A1 1 0 0 0 2 2")


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.sweep(3)
@pytest.mark.parametrize("kind", KINDS)
def test_every_picture_is_saved_in_every_form(inspectors, kind: str, tmp_path: Path) -> None:
    picture = inspectors[kind]
    begins = {"png": b"\x89PNG", "pdf": b"%PDF", "svg": b"<svg", "html": b"<!DOCTYPE html>", "json": b"{"}
    for ending, begin in begins.items():
        picture.save(tmp_path / f"picture.{ending}")
        assert (tmp_path / f"picture.{ending}").read_bytes().startswith(begin)
    picture.save(tmp_path / "dark.png", theme="dark")
    assert (tmp_path / "dark.png").read_bytes() != (tmp_path / "picture.png").read_bytes()
    picture.save(tmp_path / "picture.txt")
    assert (tmp_path / "picture.txt").read_text(encoding="utf-8") == picture.text


SCRIPT = "import numpy as np; from glassroom import show; print(show(np.arange(3)).open())"


def test_a_script_opens_its_picture_in_the_browser(tmp_path: Path) -> None:
    opened = tmp_path / "opened"
    browser = f"{sys.executable} -c \"import sys; open(r'{opened}', 'w').write(sys.argv[1])\" %s"
    environment = {"PYTHONPATH": ":".join(sys.path), "BROWSER": browser, "TMPDIR": str(tmp_path), "HOME": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, env=environment)
    page = Path(done.stdout.strip())
    assert opened.read_text() == page.as_uri()
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_without_a_browser_a_script_prints_the_text_and_where_the_page_is(tmp_path: Path) -> None:
    environment = {
        "PYTHONPATH": ":".join(sys.path),
        "BROWSER": "/no/such/browser %s",
        "PATH": "",
        "HOME": str(tmp_path),
    }
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.startswith("S0 · 24 bytes on cpu")
    assert "the page is /" in done.stdout


# --- terminals --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_rich_prints_the_same_words_in_colors(inspectors, kind: str) -> None:
    rich = pytest.importorskip("rich.console", reason="colors need rich (extra: course)")
    console = rich.Console(width=1000, force_terminal=True, color_system="standard", _environ={})
    with console.capture() as captured:
        console.print(inspectors[kind])
    assert re.sub(r"\x1b\[[\d;]*m", "", captured.get()).rstrip() == inspectors[kind].text.rstrip()
    assert "\x1b[" in captured.get()


def test_colors_are_for_terminals_alone(capsys) -> None:
    picture = show(a=torch.arange(2))
    picture.print()
    assert capsys.readouterr().out == picture.text + "\n"


TYPED = "import numpy as np; from glassroom import show\nshow(np.arange(3))\nexit\n"


def test_ipython_on_a_terminal_displays_colors(tmp_path: Path) -> None:
    pty = pytest.importorskip("pty", reason="pseudo-terminals are Unix's")
    ours, theirs = pty.openpty()
    environment = {**os.environ, "IPYTHONDIR": str(tmp_path), "TERM": "xterm", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "IPython", "--simple-prompt", "--colors=NoColor", "--no-banner"]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as running:
        os.close(theirs)
        os.write(ours, TYPED.encode())
        said = b""
        try:
            while part := os.read(ours, 4096):
                said += part
        except OSError:  # how Linux says that the other end is closed
            pass
        assert running.wait(timeout=60) == 0
    os.close(ours)
    assert b"\x1b[1mS0\x1b[0m" in said


# --- data -------------------------------------------------------------------------------------------------------------


@pytest.fixture
def schemas() -> Any:
    """The validator of schemas: its import takes seconds, which collecting tests need not wait for."""
    import jsonschema

    return jsonschema.Draft202012Validator


def test_data_of_what_a_hook_has_packed_are_of_the_written_schema(schemas: Any) -> None:
    leaf = tensorglass.ones(2, requires_grad=True)
    with tensorglass.autograd.graph.saved_tensors_hooks(lambda saved: 0, lambda packed: leaf.detach()):
        data = json.loads(json.dumps(glassroom.graph(leaf.exp()).as_dict()))
    assert data["steps"][0]["saved"][0]["state"] == "packed"
    schemas(SCHEMA).validate(data)


def test_the_schema_is_one(schemas: Any) -> None:
    schemas.check_schema(SCHEMA)


@pytest.mark.parametrize("kind", KINDS)
def test_every_inspectors_data_are_of_the_written_schema(inspectors, schemas: Any, kind: str) -> None:
    data = json.loads(json.dumps(inspectors[kind].as_dict(), allow_nan=False))
    schemas(SCHEMA).validate(data)
    assert (data["schema"], data["inspector"]) == (1, kind)
    broken = {**data, "schema": 2}
    assert not schemas(SCHEMA).is_valid(broken)


def test_both_libraries_give_the_same_data() -> None:
    def data(lib: Any, kind: str) -> str:
        text = json.dumps(every_inspector(lib)[kind].as_dict()).replace('"torch"', '"tensorglass"')
        names = list(dict.fromkeys(re.findall(r"\bS\d+\b", text)))
        return re.sub(r"\bS\d+\b", lambda match: f"S{names.index(match[0])}", text)

    for kind in ("memory map", "autograd graph"):
        assert data(tensorglass, kind) == data(torch, kind), kind


# --- markup in names --------------------------------------------------------------------------------------------------


@pytest.mark.sweep(3)
@pytest.mark.parametrize("kind", KINDS)
def test_markup_in_names_is_only_a_name_in_every_form(hostile, kind: str, tmp_path: Path) -> None:
    picture = hostile[kind]
    ElementTree.fromstring(picture.svg)
    for form in (picture.svg, picture.live, picture.html):
        assert "<script>alert" not in form
        assert "\x1b" not in form
    assert picture.live.count("</script>") == 1
    assert "\x1b" not in picture.text
    assert ("<script>alert" in json.dumps(picture.as_dict())) == (kind != "stride explorer"), "the name is there"
    picture.save(tmp_path / "picture.png")
    axes = picture.plot()
    assert all(text.get_parse_math() is False for text in axes.texts)
    matplotlib.pyplot.close(axes.figure)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("kind", KINDS)
def test_every_word_of_a_picture_stands_out_from_what_is_behind_it(inspectors, kind: str, theme: str) -> None:
    faint = too_faint(inspectors[kind].svg, theme)
    assert faint == []


def too_faint(svg: str, theme: str) -> list[tuple[str, float]]:
    """The words of a picture whose contrast with the shapes behind them is below 4.5."""
    color = matplotlib.colors.to_rgb
    shapes: list[tuple[float, float, float, float, Any, float]] = []
    faint = []
    for part in parts_of(svg, theme):
        look, given = part.look, part.attributes
        if part.tag == "rect" and look.get("fill", "black") != "none":
            x, y, width, height = (float(given[name]) for name in ("x", "y", "width", "height"))
            alpha = float(look.get("fill-opacity", 1)) * float(look["opacity"])
            shapes.append((x, y, x + width, y + height, color(look.get("fill", "black")), alpha))
        elif part.tag == "text":
            x, y = float(given["x"]), float(given["y"]) - 3
            behind = (1.0, 1.0, 1.0)
            for left, top, right, bottom, over, alpha in shapes:
                if left <= x <= right and top <= y <= bottom:
                    behind = tuple(o * alpha + b * (1 - alpha) for o, b in zip(over, behind, strict=True))
            alpha = float(look["opacity"])
            ink = tuple(i * alpha + b * (1 - alpha) for i, b in zip(color(look["fill"]), behind, strict=True))
            ratio = contrast(ink, behind)
            if ratio < 4.5:
                faint.append((part.words, round(ratio, 2)))
    return faint


def contrast(one: Any, other: Any) -> float:
    def luminance(channels: Any) -> float:
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_markup_in_error_messages_and_names_of_files_is_only_text(tmp_path: Path) -> None:
    path = tmp_path / "<b>$x$.py"
    path.write_text(
        "import torch\ndef f():\n    x = torch.ones(2)\n    raise ValueError('<b>$x$</b>\\x1b')\n", encoding="utf-8"
    )
    space: dict[str, Any] = {}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), space)
    with pytest.raises(ValueError, match="<b>") as caught:
        watch(space["f"])
    story = "\n".join(caught.value.__notes__)
    assert "raises ValueError" in story
    assert "\x1b" not in story


def test_without_matplotlib_a_figure_says_what_to_install() -> None:
    program = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import numpy as np; from glassroom import show\n"
        "try: show(np.zeros(2)).plot()\n"
        "except ImportError as error: print(*error.__notes__)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "pip install 'tensorglass[inspect]'" in done.stdout


AT_ODD_MOMENTS = """
import atexit, signal, threading, weakref
import LIBRARY as torch
from glassroom import aliases, device_map, explain_error, explore_broadcast, explore_index, explore_strides, graph
from glassroom import holders, memory_log, memory_timeline, model_map, show, step_backward, watch
from glassroom.reading.guarded import CLOSING
from glassroom.testing import assert_peak_below

saved = torch.ones(3, requires_grad=True).exp()
saved.mul_(2)
try:
    saved.sum().backward()  # here, since PyTorch aborts a process whose backward fails as Python ends
except RuntimeError as error:
    refused = error
net = torch.nn.Linear(2, 2)

def timed():
    with memory_timeline() as timeline, assert_peak_below("1 MiB"):
        torch.zeros(3) + 1
    return timeline

def logged():
    log = memory_log(every=1)
    for _ in range(3):
        with log.step():
            torch.zeros(3)
    return log

def looks(moment, net=net, refused=refused):
    x = torch.ones(3, requires_grad=True)
    loss = (x * 2).sum()
    asked = [holders, timed, logged, lambda: holders(x), lambda: model_map(net)]
    asked += [lambda: watch(lambda: torch.zeros(3).add_(1)), lambda: show(x), lambda: graph(loss), lambda: aliases(x)]
    asked.append(lambda: explain_error(refused))
    asked += [lambda: device_map(x), lambda: explore_index(x, "1:"), lambda: explore_strides(x)]
    asked += [lambda: explore_broadcast(x, (3, 1)), lambda: step_backward((x * 2).sum())]
    told = [ask() for ask in asked]
    forms = [each.text != "" and each.svg != "" and each.label != "" and each.as_dict() != {} for each in told]
    print(moment, forms, [each.text for each in told].count(CLOSING))

class Looks:
    def __init__(self, moment):
        self.moment = moment

    def __del__(self):
        looks(self.moment)

thread = threading.Thread(target=looks, args=("thread",))
thread.start()
thread.join()
signal.signal(signal.SIGUSR1, lambda *_: looks("signal"))
signal.raise_signal(signal.SIGUSR1)
Looks("__del__")
short = {1}
reference = weakref.ref(short, lambda _: looks("weakref"))
del short
living = Looks
weakref.finalize(living, looks, "finalize")
atexit.register(looks, "atexit")
last = Looks("shutdown")
"""


@pytest.mark.sweep
@pytest.mark.parametrize("library", LIBRARIES, ids=lambda lib: lib.__name__)
def test_a_look_in_a_handler_a_finalizer_or_at_shutdown_answers(tmp_path: Path, library: Any) -> None:
    script = tmp_path / "odd.py"
    script.write_text(AT_ODD_MOMENTS.replace("LIBRARY", library.__name__), encoding="utf-8")
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=100, check=True)
    told = dict(line.split(" ", 1) for line in ran.stdout.splitlines())
    assert "Traceback" not in ran.stderr
    forms, closed = told.pop("shutdown").rsplit(" ", 1)
    assert forms == str([True] * 15)
    assert int(closed) >= 11
    moments = ["thread", "signal", "__del__", "weakref", "finalize", "atexit"]
    assert told == dict.fromkeys(moments, f"{[True] * 15} 0")


FULL_DISK = """
import pathlib, resource, sys
import tensorglass
from glassroom import show

sys.dont_write_bytecode = True  # under the limit Python would keep the first 20 bytes of it

picture = show(table=tensorglass.arange(6.0))
for ending in ("png", "svg", "txt", "html", "json"):
    path = pathlib.Path(f"picture.{ending}")
    path.write_bytes(b"of before")
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, resource.RLIM_INFINITY))
    try:
        picture.save(path)
    except OSError:
        print(ending, path.read_bytes() == b"of before", len(list(pathlib.Path.cwd().iterdir())))
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit of file size to stand for a full disk")
def test_a_picture_that_a_full_disk_refuses_leaves_the_one_of_before(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FULL_DISK], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:-1] == ["png True 1", "svg True 2", "txt True 3", "html True 4", "json True 5"]
