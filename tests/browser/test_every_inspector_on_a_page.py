"""What holds for every inspector that is saved as a page: it wakes without a kernel, says what its text and its static
picture say, and can be used by everyone.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from browser import axe
from browser.jupyterlab import Watch
from browser.kinds import FAINT, KINDS, PLAYERS, SAID, step
from every_inspector import every_inspector

import glassroom
import tensorglass
from glassroom import graph, show, step_backward, watch
from glassroom.inspectors.base import Inspector
from glassroom.live.embed import style_of

HOSTILE = "<img src=x onerror='window.hacked = 1'>"
PART = {  # what one can point at
    "memory map": ".tensor .cell",
    "alias map": ".alias",
    "stride explorer": ".gr-result .gr-box",
    "broadcast explorer": ".gr-boxes .gr-box",
    "index explorer": ".gr-boxes .gr-box",
    "autograd graph": ".box",
    "backward stepper": None,
    "device map": ".holding rect",
    "memory timeline": ".life rect",
    "holders": ".life rect",
    "memory comparison": ".share rect",
    "memory log": ".life rect",
    "version error": ".line",
    "model map": ".module",
    "watched cell": ".gr-line:has-text('rows = held')",
}
# What reaches past the page, and is in no region that the keyboard scrolls; and controls that lie on one another.
OUT_OF_REACH = """() => {
    const scrolls = (each) => /auto|scroll/.test(getComputedStyle(each).overflowX);
    const region = (each) => each && (scrolls(each) ? each : region(each.parentElement));
    return [...document.querySelectorAll("body *")]
        .filter((each) => each.getBoundingClientRect().right > innerWidth + 1 && !each.closest(".gr-text"))
        .filter((each) => region(each)?.tabIndex !== 0)
        .map((each) => each.outerHTML.slice(0, 80));
}"""
# Animations that run with the clock; what follows the scrolling of a region does not move by itself.
MOVING = "document.getAnimations().filter((each) => each.timeline === document.timeline).length"
OVERLAPPING = """() => {
    const controls = [...document.querySelectorAll("button, input")];
    const all = controls.map((each) => [each.outerHTML, each.getBoundingClientRect()]);
    const over = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    return all.flatMap(([, a], at) => all.slice(at + 1).filter(([, b]) => over(a, b)).map(([html]) => html));
}"""


@pytest.fixture(scope="module")
def pages(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Every inspector, saved as a page and opened from the file."""
    folder = tmp_path_factory.mktemp("pages")
    context = chromium.new_context(viewport={"width": 1100, "height": 900}, reduced_motion="reduce")
    by_kind: dict[str, tuple[Any, Inspector, Watch]] = {}
    for kind, inspector in every_inspector(tensorglass).items():
        path = folder / f"{kind}.html"
        inspector.save(path)
        page, watch = context.new_page(), Watch()
        watch.over(page)
        page.goto(path.as_uri())
        by_kind[kind] = page, inspector, watch
    yield by_kind
    context.close()


@pytest.mark.sweep
@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_page_hovers_steps_and_obeys_keys_without_a_kernel(pages: Any, kind: str) -> None:
    page, _, watch = pages[kind]
    said = page.locator(SAID)
    before = said.all_inner_texts()
    if PART[kind]:
        part = page.locator(PART[kind]).nth(0)
        part.hover()
        part.click()
        assert said.all_inner_texts() != before, "hovering and clicking say what was pointed at"
        page.mouse.move(2, 2)
    page.locator("[tabindex='0']").first.focus()
    heard = []
    for key in ("Home", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
        heard.append(said.all_inner_texts())
    assert len({json.dumps(state) for state in heard}) > 1, "keys step"
    assert page.evaluate(MOVING) == 0, "nothing moves by itself"
    assert (watch.errors, watch.from_elsewhere) == ([], [])


@pytest.mark.sweep
@pytest.mark.parametrize("kind", KINDS)
def test_live_static_and_text_forms_say_the_same(pages: Any, kind: str) -> None:
    page, inspector, _ = pages[kind]
    page.reload()  # other tests have clicked
    facts = facts_of(inspector.as_dict())
    assert len(facts) > 2
    svg = ElementTree.fromstring(inspector.svg).iter("{http://www.w3.org/2000/svg}text")
    told = [page.locator("body").inner_text(), *page.locator("svg text").all_text_contents()]
    told += page.locator("[data-says]").evaluate_all("parts => parts.map((part) => part.dataset.says)")
    told += page.locator("input").evaluate_all("fields => fields.map((field) => field.value)")
    if kind in PLAYERS:
        step(page, page.locator("body"), "Home")
        for _ in range(int(page.locator(".gr-player input").get_attribute("max"))):
            page.keyboard.press("ArrowRight")
            told += [page.locator("body").inner_text(), *page.locator("svg text").all_text_contents()]
    forms = {"text": inspector.text, "static": "\n".join(text.text or "" for text in svg), "live": "\n".join(told)}
    for form, words in forms.items():
        missing = [fact for fact in facts if fact not in words.replace("\n", " ") and fact not in words]
        assert missing == [], form


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("form", ["live", "static"])
def test_a_picture_has_the_theme_of_its_page_whatever_the_systems_is(chromium: Any, form: str, theme: str) -> None:
    inspector = show(tensorglass.arange(2))
    html = inspector.svg if form == "static" else inspector.html
    ink = "getComputedStyle(document.querySelector('svg.gr text')).fill"
    jupyter = {"light": "true", "dark": "false"}[theme]
    found = []
    for system, said in [
        (theme, ""),
        (theme, "data-theme='auto'"),
        *(
            ({"light": "dark", "dark": "light"}[theme], each)
            for each in (f"data-theme='{theme}'", f"data-jp-theme-light='{jupyter}'", f"class='vscode-{theme}'")
        ),
    ]:
        page = chromium.new_page(color_scheme=system)
        page.set_content(f"<body {said}>{html}</body>")
        found.append(page.evaluate(ink))
        page.close()
    assert set(found) == {"rgb(31, 35, 40)" if theme == "light" else "rgb(230, 237, 243)"}


def facts_of(data: dict[str, Any]) -> list[str]:
    """What a picture must say in every form, as it says it."""
    facts: list[str] = []
    for group in data.get("groups", ()):
        facts += [group["storage"], *[member["name"][:20] for member in group["members"]]]
    for storage in data["storages"] if "headers" in data else ():
        facts += [storage["name"], *[_written(cell["value"]) for cell in storage["cells"]]]
    for header in data.get("headers", ()):
        facts += [header["name"], f"{tuple(header['size'])}", f"{tuple(header['stride'])}"]
    if "typed" in data:
        facts += [data["name"], data["typed"], *data["values"].values(), str(tuple(data["result"]["size"]))]
    for operand in data.get("operands", ()):
        facts += [operand["name"], f"{tuple(operand['size'])}"]
    nodes = () if "looks" in data else (data.get("graph") or data).get("steps", ())
    for node in nodes:
        if "leaf" in node:
            facts += [node["leaf"]["name"]] if node["leaf"] else [] if node["outputs"] else [node["name"]]
    facts += [fact for line in data["lines"] for fact in (line["called"], line["source"])] if "saved_as" in data else []
    facts += [data["title"]] if "rows" in data else []
    for row in data.get("rows", ()):
        facts += [row["label"], row["words"], f"{row['nbytes']:,} byte"]
    for run in data.get("runs", ()):
        levels = run["bands"]["levels"]
        peak = max(map(sum, zip(*levels.values(), strict=True)))
        facts += [run["name"], *levels, f"{peak:,} byte"]
    if "looks" in data:
        facts += [fact for line in data["lines"] for fact in (line["line"], *line["holders"])]
        facts += [fact for graph in data["graphs"] for fact in (graph["name"], f"{graph['nodes']:,} nodes")]
    for module in data.get("modules", ()):
        facts += [module["path"].rpartition(".")[2], module["kind"]]
    for device in data.get("devices", ()):
        facts += [device["name"], device["kind"], *[storage["name"] for storage in device["storages"]]]
    for curve in data.get("curves", ()):
        facts += [curve["device"], f"{max(curve['levels']):,}"]
    facts += [life["where"]["label"] for life in data.get("lives", ())]
    for moment in data.get("moments", ()):
        facts += [change["words"] for change in moment.get("changes", ())]
    return facts


def _written(value: Any) -> str:
    return f"{value:.0f}." if isinstance(value, float) else str(value)


@pytest.mark.sweep
@pytest.mark.parametrize("width", [400, 640], ids=["400 px", "200 % zoom"])
@pytest.mark.parametrize("kind", KINDS)
def test_on_a_narrow_page_nothing_is_out_of_reach(pages: Any, kind: str, width: int) -> None:
    page, _, _ = pages[kind]
    page.set_viewport_size({"width": width, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "the page itself does not scroll"
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate(OUT_OF_REACH) == [], "what is wider stands in a region that the keyboard scrolls"
    assert page.evaluate(OVERLAPPING) == []
    assert axe.faults(page, "body") == []
    page.set_viewport_size({"width": 1100, "height": 900})


SMALL = """() => [...document.querySelectorAll("body *")]
    .filter((each) => [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
    .filter((each) => !each.closest("style, script, .gr-text") && parseFloat(getComputedStyle(each).fontSize) < 11)
    .map((each) => [each.textContent, getComputedStyle(each).fontSize])"""
WIDER = """() => [...document.querySelectorAll("body *")]
    .filter((each) => each.clientWidth > 1 && each.scrollWidth > each.clientWidth + 1 && !each.closest(".gr-text"))
    .filter((each) => getComputedStyle(each).overflowX !== "visible" && !each.closest("details:not(.gr-brief)"))
    .map((each) => [each.className, each.scrollWidth, each.clientWidth])"""


@pytest.mark.sweep
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_phone_shows_it_whole_in_letters_that_can_be_read(pages: Any, kind: str, scheme: str) -> None:
    page, _, watch = pages[kind]
    page.emulate_media(color_scheme=scheme)
    assert page.evaluate(SMALL) == [], "on a page"
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    if kind in PLAYERS:
        step(page, page.locator("body"), "End")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate(WIDER) == []
    assert page.evaluate(SMALL) == []
    assert page.locator("body").evaluate(FAINT) == []
    assert watch.errors == []
    page.set_viewport_size({"width": 1100, "height": 900})
    page.emulate_media(color_scheme="light")


def test_so_it_shows_a_graph_of_many_branches_and_its_backward(chromium: Any, tmp_path: Path) -> None:
    names = ("abs", "atan", "cos", "cosh", "exp", "log", "neg", "sigmoid", "sin", "sinh", "sqrt", "tanh")  # none folds
    loss = tensorglass.stack([getattr(tensorglass.ones(3, requires_grad=True), name)() for name in names]).sum()
    page = chromium.new_page(viewport={"width": 390, "height": 844})
    for picture in (graph(loss), step_backward(loss)):
        picture.save(tmp_path / "wide.html")
        page.goto((tmp_path / "wide.html").as_uri())
        page.locator("[tabindex='0']").first.focus()
        reached = set()
        for _ in range(26):  # by Right, which moves to the next box or step
            page.keyboard.press("ArrowRight")
            reached.add(page.locator(".box.at").get_attribute("data-key"))
        assert len(reached) >= page.locator(".box").count() - 1 == 25  # the graph begins at its root
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert (page.evaluate(WIDER), page.evaluate(SMALL)) == ([], [])
    page.close()


def test_the_count_of_a_long_backward_is_written_as_its_text_is(chromium: Any, tmp_path: Path) -> None:
    h = w = tensorglass.ones(2, requires_grad=True)
    for _ in range(5000):
        h = h * w + w
    stepper = step_backward(h.sum())
    [folded] = [frame for frame in stepper.state()["frames"] if frame["first"] < frame["turn"]]
    turns = f"{folded['first']:,}–{folded['turn']:,}"
    assert f"{turns}. ⋮ " in stepper.text
    stepper.save(tmp_path / "long.html")
    page = chromium.new_page()
    page.goto((tmp_path / "long.html").as_uri())
    player = page.locator(".gr-player")
    counts = []
    for _ in stepper.state()["frames"]:
        player.press("ArrowRight")
        counts.append(player.locator(".gr-count").inner_text())
    assert f"step {turns} of 10,002" in counts
    page.close()


def test_markup_in_names_runs_nowhere(chromium: Any, tmp_path: Path) -> None:
    for kind, inspector in every_inspector(tensorglass, HOSTILE).items():
        path = tmp_path / f"{kind}.html"
        inspector.save(path)
        page, watch = chromium.new_page(), Watch()
        watch.over(page)
        page.goto(path.as_uri())
        if kind in PLAYERS:
            step(page, page.locator("body"), "End")
        assert page.locator("img").count() == 0, kind
        assert page.evaluate("window.hacked") is None
        assert (watch.errors, watch.from_elsewhere) == ([], [])
        page.close()


def test_a_long_story_is_packed_and_steps_all_the_same(chromium: Any, tmp_path: Path) -> None:
    def count() -> Any:
        total = tensorglass.zeros(4)
        for number in range(150):
            total[0] = number
        return total

    story = watch(count)
    story.save(tmp_path / "long.html")
    # Scripts and styles included. What the steps' cards share stands in the state once, packed or not.
    assert (tmp_path / "long.html").stat().st_size < len(json.dumps(story.state())) / 3
    page, seen = chromium.new_page(), Watch()
    seen.over(page)
    page.goto((tmp_path / "long.html").as_uri())
    page.locator(".gr-watch").focus()
    page.keyboard.press("End")
    while not page.locator(".gr-card .wrote").count():
        page.keyboard.press("ArrowLeft")
    assert page.locator(".gr-card .wrote text").all_text_contents() == ["149."]
    assert (seen.errors, seen.from_elsewhere) == ([], [])
    page.close()


SCROLLED = """(each, part) => new Promise((done) => {
    each.scrollLeft = part * (each.scrollWidth - each.clientWidth);
    requestAnimationFrame(() => requestAnimationFrame(() => {
        const found = getComputedStyle(each);
        const fades = ["--gr-before", "--gr-behind"].map((name) => parseFloat(found.getPropertyValue(name)) > 0);
        done(fades.join());
    }));
})"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_what_is_wider_than_its_place_fades_out_where_there_is_more(chromium: Any, theme: str) -> None:
    picture = "<svg width='900' height='20'></svg>"
    room = Path(glassroom.__file__).parent
    site = "".join(style_of(room / sheet) for sheet in ("live/scrolls.css", "site/static/site.css"))
    of_the_class = "".join(style_of(room / sheet) for sheet in ("live/scrolls.css", "classroom/pages/page.css"))
    page = chromium.new_page(color_scheme=theme)
    for html in [
        show(wide=tensorglass.arange(4**4).view(4, 4, 4, 4)).live,
        f"<style>{site}</style><div class='cell_output'>{picture}</div>",
        f"<style>{of_the_class}</style><figure>{picture}</figure>",
    ]:
        page.set_viewport_size({"width": 280, "height": 600})
        page.set_content(html)
        region = page.locator(".gr-frame, .cell_output, figure")
        assert [region.evaluate(SCROLLED, part) for part in (0, 0.5, 1)] == ["false,true", "true,true", "true,false"]
        page.set_viewport_size({"width": 1100, "height": 600})
        assert region.evaluate(SCROLLED, 0) == "false,false"
    page.close()
