#!/usr/bin/env python3
"""report_page.py - looks at pages of `scree report --html` in a browser.
     report_page.py ONE TWO               checks the pages that report_page.sh makes
     report_page.py --shots DIR PAGE...   saves pictures: wide and narrow, light and dark

It checks what a reader of a page sees and does, without a network.
"""
import base64
import json
import os
import shutil
import sys
import traceback

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By


def browser():
    options = webdriver.ChromeOptions()
    for word in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "hide-scrollbars"):
        options.add_argument("--" + word)
    options.binary_location = shutil.which("chromium")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)


class Page:
    def __init__(self, driver, name):
        self.driver = driver
        self.url = "file://" + os.path.abspath(name)

    def open(self, width=1280, scheme="light", medium="screen"):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        self.emulate(scheme, medium)
        self.driver.get(self.url)
        return self

    def emulate(self, scheme, medium="screen"):
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "media": medium, "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def count(self, selector):
        return len(self.all(selector))

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def texts(self, selector):
        return self.js("return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)", selector)

    def head(self, name):
        """The head of a column of the first table."""
        return next(head for head in self.all("table.sortable th") if head.text.strip("\u2191\u2193 ") == name)

    def sort(self, name):
        self.head(name).find_element(By.TAG_NAME, "button").click()


# ---- checks: each takes both pages; the first is open, for two_files the second ----


def equal(found, expected):
    assert found == expected, f"found {found!r}, expected {expected!r}"


def shown(page):
    """The addresses of the figures that are displayed."""
    return [e.get_attribute("id") for e in page.all("figure") if e.is_displayed()]


def a_figure_is_shown(one, _):
    equal(shown(one), ["x=coalesce-bytes&colour=algorithm&metric=seconds"])
    width, height = one.js("const i = document.querySelector('figure.first img'); return [i.naturalWidth, i.naturalHeight]")
    assert width > 200 and height > 200, (width, height)


def links_show_figures(one, _):
    one.one("nav summary").click()
    links = one.all("nav a")
    assert len(links) > 5, len(links)
    for link in links[1:4]:
        link.click()
        equal(["#" + name for name in shown(one)], [link.get_attribute("href").split("html")[1]])


def an_address_can_be_shared(one, _):
    one.driver.get(one.url + "#x=ranks&colour=algorithm&metric=seconds")
    one.driver.refresh()
    equal(shown(one), ["x=ranks&colour=algorithm&metric=seconds"])
    assert "--x ranks --colour algorithm --metric seconds" in one.one("figure:target figcaption").text


def table_sorts(one, _):
    up = one.js("return [...document.querySelectorAll('table.sortable tbody tr')].map(r => parseFloat(r.cells[4].dataset.sort))")
    equal(len(up), 20)
    for direction in ("ascending", "descending"):
        one.sort("time")
        equal(one.head("time").get_attribute("aria-sort"), direction)
        found = one.js("return [...document.querySelectorAll('table.sortable tbody tr')].map(r => parseFloat(r.cells[4].dataset.sort))")
        known = [x for x in found if x is not None]
        equal(known, sorted(known, reverse=direction == "descending"))
    equal(one.count("th[aria-sort]"), 1)


def text_is_text(one, _):
    title = '<script>document.title="run"</script> & <b>"sizes"</b>'
    equal((one.driver.title, one.one("h1").text), (title, title))
    equal(one.count("h1 *"), 0)
    one.one(".failures summary").click()
    equal(one.one(".failures pre").text, "<img src=x onerror=document.title=1>\nrank 1 waits </script>")
    assert "timeout" in one.one(".failures summary").text and "3 runs" in one.one(".failures summary").text


def commands_are_there(one, _):
    assert any("'A;id'=1 mpirun -n" in text for text in one.texts("dd code"))


def words_stand_on_top(one, _):
    assert one.count(".words li") > 0 and all(t.strip() for t in one.texts(".words li"))
    assert any("3 timeout" in t for t in one.texts(".words li.warning")), one.texts(".words li.warning")
    assert one.js("return document.querySelector('.words').getBoundingClientRect().bottom < document.querySelector('figure.first').getBoundingClientRect().top")


def landmarks(one, _):
    equal(one.one("html").get_attribute("lang"), "en-GB")
    for selector in ("main h1", "nav[aria-label]", 'th[scope="col"]'):
        assert one.count(selector), selector
    assert all(image.get_attribute("alt") for image in one.all("img"))


CONTRAST = """
  const parse = c => (c.match(/[0-9.]+/g) || []).map(Number);
  const light = c => { const [r, g, b] = c.slice(0, 3).map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] === 1) return c; }
    return [255, 255, 255]; };
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  const poor = [], seen = e => e.getClientRects().length > 0 && getComputedStyle(e).visibility === 'visible';
  let texts = 0;
  for (const e of document.querySelectorAll('body *')) {
    if (e.closest('script, noscript') || !seen(e)) continue;
    const style = getComputedStyle(e), svg = e instanceof SVGElement, own = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
    if (own) {
      texts++;
      const found = ratio(parse(svg ? style.fill : style.color), behind(e));
      if (found < 4.5) poor.push([e.textContent.slice(0, 40), found]);
    }
  }
  return [texts, poor];"""


def enough_contrast(*pages):
    for page in pages:
        for scheme, medium in (("light", "screen"), ("dark", "screen"), ("light", "print"), ("dark", "print")):
            page.open(1280, scheme, medium)
            page.js("for (const one of document.querySelectorAll('details')) one.open = true")
            texts, poor = page.js(CONTRAST)
            assert texts > 100 and not poor, f"{scheme} {medium}: {texts} texts, {poor}"


def dark_and_print_differ(one, _):
    paper = "return getComputedStyle(document.body).backgroundColor"
    light = one.js(paper)
    one.emulate("dark")
    assert one.js(paper) != light
    assert one.one("nav").is_displayed()
    one.emulate("dark", "print")
    equal(one.js(paper), "rgb(255, 255, 255)")
    assert not one.one("nav").is_displayed() and one.one("table.sortable").is_displayed()
    equal(len(shown(one)), 1)


def narrow(one, two):
    for page in (one, two):
        page.open(360)
        equal(page.js("return document.documentElement.scrollWidth"), 360)
        right = "return [...document.querySelectorAll('figure img')].filter(e => e.getBoundingClientRect().right > 361).length"
        equal(page.js(right), 0)


def two_files(_, two):
    assert "after / before" in two.one("pre.changes").text and two.one("pre.changes").is_displayed()
    equal(two.count("table.sortable"), 2)
    equal(len(shown(two)), 2)
    two.driver.get(two.url + "#x=ranks&colour=algorithm&metric=seconds&file=2")
    two.driver.refresh()
    assert "x=ranks&colour=algorithm&metric=seconds&file=2" in shown(two), shown(two)
    assert two.one("h1").text.endswith(" / sizes again"), two.one("h1").text


CHECKS = [a_figure_is_shown, links_show_figures, an_address_can_be_shared, table_sorts, text_is_text, commands_are_there,
          words_stand_on_top, landmarks, enough_contrast, dark_and_print_differ, narrow, two_files]


def silent(driver):
    """Nothing in the console, and nothing asked for but the pages themselves."""
    loud = [entry["message"] for entry in driver.get_log("browser")]
    assert not loud, loud
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    urls = {m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"}
    assert urls, "the log has no requests, not even for the pages"
    others = [u for u in urls if not u.startswith("data:") and not u.split("#")[0].endswith(".html")]
    assert not others, others


def check(name, function, *arguments):
    try:
        function(*arguments)
        print(f"ok - {name.replace('_', ' ')}", flush=True)
        return True
    except Exception:  # a check that cannot go on has failed
        where = traceback.format_exc(limit=-2).split("Stacktrace:")[0].strip() # without the frames of the browser
        print(f"not ok - {name.replace('_', ' ')}\n    " + where.replace("\n", "\n    "), flush=True)
        return False


def checks(driver, names):
    pages = [Page(driver, name) for name in names]
    good = True
    for function in CHECKS:
        pages[function is two_files].open()
        good = check(function.__name__, function, *pages) and good
    return check("no error and no request", silent, driver) and good


def shots(driver, folder, names):
    os.makedirs(folder, exist_ok=True)
    for name in names:
        for width in (1280, 400):
            for scheme in ("light", "dark"):
                page = Page(driver, name).open(width, scheme)
                height = page.js("return document.documentElement.scrollHeight")
                shot = driver.execute_cdp_cmd("Page.captureScreenshot", {
                    "format": "png", "captureBeyondViewport": True,
                    "clip": {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}})
                stem = os.path.splitext(os.path.basename(name))[0]
                with open(os.path.join(folder, f"{stem}-{width}-{scheme}.png"), "wb") as file:
                    file.write(base64.b64decode(shot["data"]))


def main(words):
    driver = browser()
    try:
        if words[:1] == ["--shots"]:
            return shots(driver, words[1], words[2:])
        return 0 if checks(driver, words) else 1
    finally:
        driver.quit()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
