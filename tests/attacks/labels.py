"""An attack: tensors, modules and classes whose names are markup, scripts, directions of writing or very long, in every
inspector, in a real browser.

Each round opens the page of one picture, points at it, steps through it and makes the window narrow. Nothing of a name
runs, nothing is fetched, no script fails, and the picture stays within the window.
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from browser.jupyterlab import CHROMIUM
from every_inspector import Network, every_inspector

import tensorglass as torch
from glassroom import aliases, model_map, show

RUN = "(window.ran = 1)"
NAMES = {
    "script": f"<script>{RUN}</script>",
    "end of script": f"</script><script>{RUN}</script><!--",
    "comment in a script": "<!--<script>",
    "image": f"<img src=x onerror={RUN}>",
    "svg": f"</text></svg><svg onload={RUN}><style>*{{display:none}}</style>",
    "style": "</style><style>* { display: none !important }</style>",
    "double quotes": f'" onmouseover="{RUN}" onfocus="{RUN}" x="',
    "single quotes": f"' onmouseover='{RUN}' x='",
    "template": f"${{{RUN}}} `+{RUN}+` {{{{{RUN}}}}}",
    "backslashes": f"\\'; {RUN}; //\\",
    "entities": "&lt;b&gt; &#60;script&#62; &amp",
    "link": f"javascript:{RUN}",
    "end of text": f"]]></style></pre></textarea></title><b onclick={RUN}>",
    "lines": "a\nb\r\nc\u2028d\u2029e\x85f\x0bg",
    "control characters": "\x00\x01\x08\x1b[31m\x1b]0;x\x07\x7f",
    "right to left": "\u202e\u05d0\u05d1\u2067abc\u2066\u200f",
    "marks on marks": "a" + "\u0301\u0489" * 200,
    "half a character": "a\ud800b\udfff",
    "nothing": "",
    "blanks": " \t\u00a0\u3000\u200b ",
    "long": "x" * 10_000,
    "long words": "many words " * 1_000,
    "wide": "\u6f22" * 500 + "\U0001f469\u200d\U0001f52c" * 50,
    "what objects have": "__proto__",
    "what a loop asks": "constructor",
    "a number": "0",
    "a path": "../../../etc/passwd",
    "formatting": "%s %n {0} {x!r} $x_1$ \\frac",
}
#: The width of the page, once it is narrow enough, or after two seconds in which a picture may draw itself anew.
SETTLED = """async (most) => {
  const until = performance.now() + 2000, width = () => document.documentElement.scrollWidth;
  while (width() > most && performance.now() < until) await new Promise((again) => setTimeout(again, 50));
  return width();
}"""
STEPS = ("Tab", "ArrowRight", "ArrowDown", "Enter", "ArrowRight", "End", "Home", "PageDown", "Escape")


def run(amount: int, seed: int, names: tuple[str, ...] = ()) -> dict[str, Any]:
    """Open `amount` pictures. Returns how many of each kind there were, and what went wrong."""
    drawn, tried, broken = random.Random(seed), Counter[str](), list[str]()
    kinds = list(names or NAMES)
    drawn.shuffle(kinds)
    with _browser() as browser:
        while sum(tried.values()) < amount:
            for kind in kinds:
                by_name = pictures(NAMES[kind])
                for picture in drawn.sample(list(by_name), min(amount - sum(tried.values()), len(by_name))):
                    broken += [f"{kind}, {picture}: {fault}" for fault in opened(browser, by_name[picture])]
                    tried[kind] += 1
    return {"tried": sum(tried.values()), "kinds": dict(tried), "broken": broken}


def pictures(name: str) -> dict[str, Callable[[], str]]:
    """The page of every inspector, and of tensors and modules whose class has the name."""
    by_kind = every_inspector(torch, name)
    kind = type("x", (torch.Tensor,), {})
    module = type("y", (Network,), {})
    with suppress(ValueError, UnicodeError):  # no class has a name with a NUL
        kind.__name__ = kind.__qualname__ = module.__name__ = module.__qualname__ = name
    inner = module({name: torch.zeros(2, 3, requires_grad=True)}, **{name: Network({"w": torch.zeros(2)})})
    by_kind |= {
        "class of a tensor": show(x=torch.arange(6.0).as_subclass(kind)),
        "names of modules": model_map(**{name: module({}, **{name: inner})}),
        "keys of dicts": aliases(held={name: torch.ones(2), "inner": {name: [torch.ones(3)]}}),
    }
    return {kind: partial(getattr, picture, "html") for kind, picture in by_kind.items()}


@contextmanager
def _browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


def opened(browser: Any, make: Callable[[], str]) -> list[str]:
    """Open a page, and use it. Returns what went wrong."""
    faults: list[str] = []
    with _opened(browser, make(), faults) as page:
        for width in (1200, 500):
            page.set_viewport_size({"width": width, "height": 800})
            now = page.evaluate(SETTLED, width + 1)
            if now > width + 1:
                faults.append(f"{now} wide in a window of {width}")
        places = page.locator("svg rect, svg text, [tabindex], button")
        for at in range(0, min(places.count(), 60), 7):
            places.nth(at).hover(force=True, timeout=2000, position={"x": 1, "y": 1}, no_wait_after=True)
        for key in STEPS:
            page.keyboard.press(key)
        if page.evaluate("window.ran === 1"):
            faults.append("a name was run")
        if not page.evaluate("document.body.innerText.trim().length > 20"):
            faults.append("the picture is not there")
        if page.evaluate("[...document.querySelectorAll('*')].some((x) => x.onclick || x.onerror || x.onmouseover)"):
            faults.append("a name has become an attribute")
    return faults


@contextmanager
def _opened(browser: Any, content: str, faults: list[str]) -> Iterator[Any]:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "page.html")
        path.write_bytes(content.encode())
        page = browser.new_page()
        page.on("pageerror", lambda error: faults.append(f"error {error}"))
        page.on("console", lambda line: faults.append(f"console {line.text}") if line.type == "error" else None)
        page.on("dialog", lambda dialog: (faults.append("a dialog"), dialog.dismiss()))
        page.on("request", lambda asked: None if asked.url == path.as_uri() else faults.append(f"fetched {asked.url}"))
        page.goto(path.as_uri())
        page.wait_for_function("document.querySelector('.glassroom > div > :not(pre)') !== null", timeout=20_000)
        yield page
        page.close()
