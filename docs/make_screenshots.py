"""Make the screenshots of the documentation: `python docs/make_screenshots.py` (needs Chromium and the test extra).

Each is taken from a real JupyterLab that runs the course's own code, light and dark, and kept small.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
sys.path.insert(0, str(ROOT / "tests"))

from browser.jupyterlab import CHROMIUM, Lab, running_lab  # noqa: E402 - found through the path set above

MAP = """\
import tensorglass as torch
from glassroom import explore_strides, show
a = torch.arange(12.)
m = a.view(3, 4)
show(a, m, column=m.t()[1])"""
EXPLORER = "explore_strides(12, (3, 4), (3, 1))"
TIMELINE = """\
from glassroom import memory_timeline
with memory_timeline() as timeline:
    x = torch.rand(200, 100)
    y = x - x.mean(0)
    y = y / y.std(0)
    kept = y[:50].clone()
    del y
timeline"""
DEVICES = """\
from glassroom import device_map
w = torch.ones(250, 100)
p = w.pin_memory()
on_device = p.to("sim", non_blocking=True)
total = (on_device * 2).sum().item()
device_map(w, p, w.t(), on_device, on_device[0])"""
WATCH = """\
%%watch
import torch
x = torch.arange(6.)
m = x.view(2, 3)
t = m.t().contiguous()
m[0] = 7
w = torch.ones(3, requires_grad=True)
loss = (m @ w).sum()
loss.backward()
del x, m
kept = t[0]"""
WATCHED = 5  # the step that is shown
COURSE_NOTEBOOK = "02_views_share_a_storage.ipynb"
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, running_lab(Path(folder)) as lab, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        lab.notebook("pictures.ipynb", MAP, EXPLORER, "torch.sim.init()\n" + TIMELINE, DEVICES)
        page, _ = lab.open(browser, "pictures.ipynb", height=2800)
        lab.run_all(page)
        page.locator(".gr-moments").nth(1).wait_for(timeout=60_000)
        for shade, theme in THEMES.items():
            set_theme(page, theme)
            page.locator('.tensor[data-name="m"] .cell[data-i="1,1"]').hover()
            frame(page, ".gr-map", IMAGES / f"memory-map-{shade}.png", extra=26)
            page.locator(".gr-result .gr-box").nth(6).hover()
            frame(page, ".gr-strides", IMAGES / f"stride-explorer-{shade}.png")
            for position, name, steps in ((0, "memory-timeline", 6), (1, "device-map", 1)):
                page.locator(".gr-moments").nth(position).focus()
                for key in ("Home", *["ArrowRight"] * steps):
                    page.keyboard.press(key)
                frame(page, ".gr-moments .gr-picture", IMAGES / f"{name}-{shade}.png", position=position)
        page.close()
        the_watch(lab, browser)
        the_course(lab, browser)
        browser.close()
    print("\n".join(f"{path.name}: {path.stat().st_size // 1024} KB" for path in sorted(IMAGES.glob("*.png"))))


def the_watch(lab: Lab, browser: Any) -> None:
    """A cell of PyTorch's, watched; needs PyTorch."""
    lab.notebook("watch.ipynb", "%load_ext glassroom", WATCH)
    page, _ = lab.open(browser, "watch.ipynb", height=1800)
    lab.run_all(page)
    page.locator(".gr-watch").wait_for(timeout=60_000)
    for shade, theme in THEMES.items():
        set_theme(page, theme)
        page.locator(".gr-watch").focus()
        page.keyboard.press("Home")
        for _ in range(WATCHED):
            page.keyboard.press("ArrowRight")
        page.locator(".gr-note").evaluate("note => note.hidden = true")  # its figures differ from run to run
        page.evaluate("document.activeElement.blur()")
        page.mouse.move(2, 2)
        box = page.locator(".gr-watch").bounding_box()
        area = {"x": box["x"] - 3, "y": box["y"] - 3, "width": box["width"] + 6, "height": box["height"] + 6}
        page.screenshot(path=IMAGES / f"watch-{shade}.png", clip=area)
        smaller(IMAGES / f"watch-{shade}.png")
    page.close()
    (lab.folder / "watch.ipynb").unlink()


def the_course(lab: Lab, browser: Any) -> None:
    """JupyterLab with a notebook of the course, run."""
    shutil.copy(ROOT / "notebooks" / "1_memory" / COURSE_NOTEBOOK, lab.folder)
    (lab.folder / "pictures.ipynb").unlink()
    page, _ = lab.open(browser, COURSE_NOTEBOOK, width=1200, height=900)
    set_theme(page, THEMES["light"])
    lab.run_all(page)
    page.locator(".gr-map").first.wait_for(timeout=60_000)
    page.locator(".gr-map").first.scroll_into_view_if_needed()
    page.locator(".gr-map .tensor .cell").nth(3).hover()
    page.screenshot(path=IMAGES / "course.png")
    smaller(IMAGES / "course.png")


def set_theme(page: Any, theme: str) -> None:
    page.evaluate("theme => jupyterapp.commands.execute('apputils:change-theme', { theme })", theme)
    page.wait_for_function(f"document.body.dataset.jpThemeName === '{theme}'")
    page.locator("#jupyterlab-splash").wait_for(state="detached")


def frame(page: Any, selector: str, path: Path, extra: int = 0, position: int = 0) -> None:
    """Save the picture of one element, with `extra` pixels beneath it and a small margin."""
    box = page.locator(selector).nth(position).bounding_box()
    svg = page.locator(selector).nth(position).locator("svg").first
    width = min(box["width"], svg.bounding_box()["width"]) if svg.count() else box["width"]
    area = {"x": box["x"] - 3, "y": box["y"] - 3, "width": width + 6, "height": box["height"] + extra + 6}
    page.screenshot(path=path, clip=area)
    smaller(path)


def smaller(path: Path) -> None:
    """Store a PNG with 64 colours, plenty for a drawing."""
    Image.open(path).convert("RGB").quantize(64).save(path, optimize=True)


if __name__ == "__main__":
    main()
