"""Make the pictures of the documentation: `python docs/make_screenshots.py` (with Chromium, PyTorch, the extra `test`).

The gallery, `inspectors.md`, is the script: each picture shows the output of the block of code above it, in a real
JupyterLab, light and dark, as a small file.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from PIL import Image, ImageChops
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
GALLERY = ROOT / "docs" / "inspectors.md"
sys.path.insert(0, str(ROOT / "tests"))

# ruff: noqa: E402 - found through the path set above
from browser.jupyterlab import CHROMIUM, Lab, running_lab, set_theme
from classes import answered, make_class, teachers_notebook

from glassroom.classroom.batch import grade, on_this_machine
from glassroom.classroom.course_file import read_course
from glassroom.classroom.pages import class_page
from glassroom.classroom.sandbox import best_isolation
from glassroom.workspace.notebook_json import serialise

BLOCK = re.compile(r"```python\n(.*?)```(?:\n\n<picture>.*?images/([\w-]+)-dark\.png)?", re.DOTALL)
POINTED = {  # what the pointer is on in a picture
    "memory-map": '.tensor[data-name="m"] .cell[data-i="1,1"]',
    "alias-map": ".alias >> nth=1",
    "stride-explorer": ".gr-result .gr-box >> nth=6",
    "index-explorer": ".gr-boxes >> nth=-1 >> .gr-box >> nth=1",
    "broadcast-explorer": ".gr-boxes >> nth=-1 >> .gr-box >> nth=6",
    "version-error": ".line >> nth=1",
    "model-map": ".module >> nth=1",
    "autograd-graph": ".box:has-text('AddBackward0')",
}
STEPS = {
    "watch": 4,
    "backward-stepper": 6,
    "device-map": 1,
    "memory-timeline": 20,
    "memory-comparison": 3,
    "memory-log": 3,
    "holders": 2,
}  # the step that a player shows
COURSE_NOTEBOOK = "02_views_share_a_storage.ipynb"
CLASS = {  # what learners answer differently from the course, in notebook 02; the last has handed in nothing
    "ada": {},
    "ben": {"02-middle": "middle = a[1:5].clone().view(2, 2)", "02-count": "headers, storages = 5, 2"},
    "cem": {"02-count": "headers, storages = 5, 2"},
    "dora": {"02-share-storage": "def share_storage(x, y):\n    return x.data_ptr() == y.data_ptr()"},
    "eve": {
        "02-share-storage": "def share_storage(x, y):\n    return x.data_ptr() == y.data_ptr()",
        "02-whole": "whole = tail",
        "02-count": "headers, storages = 4, 4",
    },
    "finn": None,
}
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, running_lab(Path(folder)) as lab, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        the_gallery(lab, browser)
        the_course(lab, browser)
        the_class(Path(folder), browser)
        browser.close()
    print("\n".join(f"{path.name}: {path.stat().st_size // 1024} KB" for path in sorted(IMAGES.glob("*.png"))))


def the_gallery(lab: Lab, browser: Any) -> None:
    """Run the blocks of the gallery as a notebook, and take its pictures."""
    blocks = BLOCK.findall(GALLERY.read_text(encoding="utf-8"))
    names = [name for _, name in blocks if name]
    lab.notebook("gallery.ipynb", *[code.strip() for code, _ in blocks])
    page, _ = lab.open(browser, "gallery.ipynb", height=9000)
    lab.run_all(page)
    page.wait_for_function(f"document.querySelectorAll('.glassroom:has(.gr)').length === {len(names)}", timeout=60_000)
    for shade, theme in THEMES.items():
        set_theme(page, theme)
        for at, name in enumerate(names):
            place = page.locator(".glassroom").nth(at)
            pose(page, place, name)
            place.screenshot(path=IMAGES / f"{name}-{shade}.png")
            smaller(IMAGES / f"{name}-{shade}.png")
    page.close()
    (lab.folder / "gallery.ipynb").unlink()


def pose(page: Any, place: Any, name: str) -> None:
    """Move the pointer to what should be highlighted, or step to what the picture should show."""
    page.mouse.move(2, 2)
    if name in POINTED:
        place.locator(POINTED[name]).hover()
        return
    place.locator(".gr-player").focus()
    for key in ("Home", *["ArrowRight"] * STEPS[name]):
        page.keyboard.press(key)
    place.evaluate(
        "place => place.querySelectorAll('.gr-note').forEach((note) => { note.hidden = true; })"
    )  # its times differ from run to run
    page.evaluate("document.activeElement.blur()")


def the_course(lab: Lab, browser: Any) -> None:
    """JupyterLab with a notebook of the course, run."""
    shutil.copy(ROOT / "notebooks" / "1_memory" / COURSE_NOTEBOOK, lab.folder)
    page, _ = lab.open(browser, COURSE_NOTEBOOK, width=1200, height=900)
    set_theme(page, THEMES["light"])
    lab.run_all(page)
    page.locator(".gr-map").first.wait_for(timeout=60_000)
    page.locator(".gr-map").first.scroll_into_view_if_needed()
    page.locator(".gr-map .tensor .cell").nth(3).hover()
    page.screenshot(path=IMAGES / "course.png")
    smaller(IMAGES / "course.png")


def the_class(folder: Path, browser: Any) -> None:
    """The page of a class of six, marked."""
    place = make_class(folder / "tensors")
    course = read_course(place)
    teachers = teachers_notebook(place)
    for learner, answers in CLASS.items():
        path = place / "submitted" / learner / "memory-02" / COURSE_NOTEBOOK
        if answers is not None:
            path.parent.mkdir(parents=True)
            path.write_bytes(serialise(answered(teachers, answers, solved=True)))
    (place / "learners.txt").write_text("\n".join(CLASS))
    grade(course, course.assignments, best_isolation([place]), on_this_machine(1), threading.Event())
    (folder / "class.html").write_text(class_page(place).html)
    for shade in THEMES:
        page = browser.new_page(viewport={"width": 760, "height": 900}, color_scheme=shade)
        page.goto((folder / "class.html").as_uri())
        page.screenshot(path=IMAGES / f"class-{shade}.png", full_page=True)
        smaller(IMAGES / f"class-{shade}.png")
        page.close()


def smaller(path: Path) -> None:
    """Crop the empty border, and store a PNG with 64 colors, plenty for a drawing."""
    image = Image.open(path).convert("RGB")
    empty = Image.new("RGB", image.size, image.getpixel((image.width - 1, image.height - 1)))
    _, _, right, bottom = ImageChops.difference(image, empty).getbbox() or (0, 0, *image.size)
    image = image.crop((0, 0, min(right + 4, image.width), min(bottom + 4, image.height)))
    image.quantize(64).save(path, optimize=True)


if __name__ == "__main__":
    main()
