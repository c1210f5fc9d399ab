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
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select


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

    def column(self, name):
        """The texts of a column of the large table, from the top."""
        return self.js("""const at = [...document.querySelectorAll('#table th')].findIndex(e => e.dataset.column === arguments[0]);
            return [...document.querySelectorAll('#table tbody tr')].map(r => r.cells[at].lastChild.textContent);""", name)

    def header(self, name):
        return self.one(f'#table th[data-column="{name}"] button')

    def sort(self, name):
        self.header(name).click()
        return self.one(f'#table th[data-column="{name}"]').get_attribute("aria-sort")


# ---- checks: each takes both pages; the first is open, for two_files the second ----

SIZES = ["auto", "64", "256", "1K", "4K"]


def equal(found, expected):
    assert found == expected, f"found {found!r}, expected {expected!r}"


def plots_are_there(one, _):
    equal(one.count("svg.plot .point"), 19)  # 20 configurations, of which one failed
    equal(one.count("svg.plot .point .bar"), 19)
    equal(one.count("svg.plot .lost"), 1)
    equal(one.count("svg.plot .ring"), 1)
    titles = one.texts("svg.plot .axis-title")
    assert any(t.startswith("Median time, ms") for t in titles), titles
    assert "coalesce-bytes, in bytes (K = 1024), logarithmic" in titles, titles
    equal(one.js("""return [...document.querySelector('svg.plot').querySelectorAll('.tick-x')]
        .sort((a, b) => a.getAttribute('x') - b.getAttribute('x')).map(e => e.textContent)"""), ["auto", "64", "256", "1K", "4K"])
    assert one.count("svg.control circle") >= 6
    equal(one.count("svg.shares rect"), 3)


def points_stand_at_their_values(one, _):
    """Twice the time is twice as high on an axis from 0: by the labels of the points and their places."""
    Select(one.one("#pick-scale")).select_by_visible_text("from 0")
    heights = one.js("""const bottom = [...document.querySelectorAll('svg.plot .grid')].reduce((a, e) => Math.max(a, e.getAttribute('y1')), 0);
        return [...document.querySelectorAll('svg.plot .point')].map(e => [parseFloat(e.getAttribute('aria-label').replace(/^[^0-9]*/, '')),
          bottom - Number(e.getAttribute('transform').match(/,([0-9.]+)/)[1])]);""")
    scales = [height / value for value, height in heights]
    assert max(scales) / min(scales) < 1.05, scales


def table_sorts(one, _):
    equal(one.one('#table th[data-column="time"]').get_attribute("aria-sort"), "ascending")
    up = one.column("time")
    equal(up[-1], "timeout")
    equal([float(t) for t in up[:-1]], sorted(float(t) for t in up[:-1]))
    equal(one.sort("time"), "descending")
    down = one.column("time")
    equal(down[-1], "timeout")
    equal([float(t) for t in down[:-1]], sorted((float(t) for t in up[:-1]), reverse=True))
    equal(one.sort("axis:coalesce-bytes"), "ascending")
    equal(one.column("axis:coalesce-bytes"), [size for size in SIZES for _ in range(4)])
    equal(one.count("#table th[aria-sort]"), 1)
    equal(one.sort("axis:coalesce-bytes"), "descending")
    equal(one.column("axis:coalesce-bytes"), [size for size in reversed(SIZES) for _ in range(4)])


def table_sorts_by_keyboard(one, _):
    one.header("axis:ranks").send_keys(Keys.ENTER)
    equal(one.column("axis:ranks"), ["1"] * 10 + ["2"] * 10)
    one.header("axis:ranks").send_keys(Keys.SPACE)
    equal(one.column("axis:ranks"), ["2"] * 10 + ["1"] * 10)


def filter_hides(one, _):
    equal(one.one("#count").text, "20 of 20 configurations")
    before = one.js("return document.querySelector('svg.plot').outerHTML")
    one.one('#chips label[data-axis="coalesce-bytes"][data-value="64"]').click()
    equal(one.one("#count").text, "16 of 20 configurations")
    equal(one.count("#table tbody tr"), 16)
    equal(one.count("svg.plot .point"), 16)
    assert "64" not in one.column("axis:coalesce-bytes")
    assert one.js("return document.querySelector('svg.plot').outerHTML") != before
    one.one('#chips label[data-axis="algorithm"][data-value="dc"] input').send_keys(Keys.SPACE)
    equal(one.one("#count").text, "8 of 20 configurations")
    one.one('#chips label[data-axis="algorithm"][data-value="delta"]').click()
    equal((one.count("#table tbody tr"), one.count("svg.plot .point")), (0, 0))
    assert "filtered out" in one.one("#panels").text
    one.one("#filter .plain").click()
    equal((one.count("#table tbody tr"), one.count("svg.plot .point")), (20, 19))


def other_quantities_and_axes(one, _):
    Select(one.one("#pick-y")).select_by_visible_text("MTEPS")
    assert any("MTEPS" in t for t in one.texts("svg.plot .axis-title"))
    equal(one.count("svg.plot .point .bar"), 19)
    for name in ("Relaxations", "Relaxations sent", "Useful share", "Blocks", "Epochs"):
        Select(one.one("#pick-y")).select_by_visible_text(name)
        equal((one.count("svg.plot .point"), one.count("svg.plot .bar")), (19, 0))
    for axis in ("algorithm", "ranks", "coalesce-bytes"):
        Select(one.one("#pick-x")).select_by_visible_text(axis)
        equal(one.count("svg.plot .point"), 19)
    Select(one.one("#pick-panels")).select_by_visible_text("coalesce-bytes")
    equal((one.count("svg.plot"), one.count("svg.plot .point")), (5, 19))
    Select(one.one("#pick-panels")).select_by_visible_text("none")
    Select(one.one("#pick-series")).select_by_visible_text("none")
    equal((one.count("svg.plot"), one.count("svg.plot .point")), (1, 19))


def points_tell(one, _):
    assert not one.one(".tip").is_displayed()
    ActionChains(one.driver).move_to_element(one.one("svg.plot .point .mark")).perform()
    assert "ms" in one.one(".tip").text and "coalesce-bytes" in one.one(".tip").text, one.one(".tip").text
    one.js("document.querySelector('svg.plot .point[tabindex=\"0\"]').focus()")
    first = one.one(".tip").text
    one.driver.switch_to.active_element.send_keys(Keys.ARROW_RIGHT)
    assert one.one(".tip").is_displayed() and one.one(".tip").text != first
    equal(one.count("svg.plot .point.on"), 1)
    equal(one.count('svg.plot .point[tabindex="0"]'), one.count("svg.plot"))
    assert "ms" in one.driver.switch_to.active_element.get_attribute("aria-label")


def rows_open(one, _):
    one.one("#table tbody .open").click()
    assert "'A;id'=1 mpirun -n" in one.one("#table .more").text, one.one("#table .more").text
    one.one("#table tbody .open").click()
    equal(one.count("#table .more"), 0)


def text_is_text(one, _):
    title = '<script>document.title="run"</script> & <b>"sizes"</b>'
    equal((one.driver.title, one.one("h1").text), (title, title))
    equal((one.count("img"), one.count("h1 *")), (0, 0))
    one.one("#failures summary").click()
    equal(one.one("#failures pre").text, "<img src=x onerror=document.title=1>\nrank 1 waits </script>")
    assert "timeout" in one.one("#failures summary").text and "3 runs" in one.one("#failures summary").text


def words_stand_on_top(one, _):
    assert one.count(".words li") > 0 and all(t.strip() for t in one.texts(".words li"))
    assert any("3 timeout" in t for t in one.texts(".words li.warning")), one.texts(".words li.warning")
    assert "kernel sssp" in one.one("#caption").text
    assert one.js("return document.querySelector('.words').getBoundingClientRect().bottom < document.querySelector('svg.plot').getBoundingClientRect().top")


def landmarks(one, _):
    equal(one.one("html").get_attribute("lang"), "en-GB")
    for selector in ("header h1", "main section[aria-labelledby]", "aside", '#table th[scope="col"]', '[aria-live="polite"]'):
        assert one.count(selector), selector
    equal(one.js("return [...document.querySelectorAll('select, input')].filter(e => !e.labels.length).length"), 0)


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
    } else if (e.matches('.mark, .line')) {
      const found = ratio(parse(e.matches('.mark') ? style.fill : style.stroke), behind(e));
      if (found < 3) poor.push([e.getAttribute('class'), found]);
    }
  }
  return [texts, poor];"""


def enough_contrast(*pages):
    for page in pages:
        for scheme, medium in (("light", "screen"), ("dark", "screen"), ("light", "print"), ("dark", "print")):
            page.open(1280, scheme, medium)
            one = page.one("#failures details")
            page.js("arguments[0].open = true", one)
            texts, poor = page.js(CONTRAST)
            assert texts > 100 and not poor, f"{scheme} {medium}: {texts} texts, {poor}"


def dark_and_print_differ(one, _):
    paper = "return getComputedStyle(document.body).backgroundColor"
    light = one.js(paper)
    one.emulate("dark")
    assert one.js(paper) != light
    assert one.one("#controls").is_displayed() and one.one("#filter").is_displayed()
    one.emulate("dark", "print")
    equal(one.js(paper), "rgb(255, 255, 255)")
    assert not one.one("#controls").is_displayed() and not one.one("#filter").is_displayed()
    assert one.one("svg.plot").is_displayed() and one.one("#table").is_displayed()


def narrow(one, two):
    for page in (one, two):
        page.open(360)
        equal(page.js("return document.documentElement.scrollWidth"), 360)
        equal(page.js("return [...document.querySelectorAll('svg.plot')].filter(e => e.getBoundingClientRect().right > 361).length"), 0)


def two_files(_, two):
    equal(two.count("svg.plot .point"), 37)
    equal(two.count("svg.plot .lost"), 3)  # one failed in both, one was wrong once
    equal(two.count(".reading"), 2)
    equal(two.one("#count").text, "40 of 40 configurations")
    assert two.one("#changes").is_displayed()
    equal(two.count("#changes tbody tr"), 18)  # all but the one that failed and the one that was wrong
    assert any("Only in one of them: 1 before, 0 after" in t for t in two.texts("#changes li")), two.texts("#changes li")
    equal([two.column("checked").count(t) for t in ("valid", "wrong", "failed")], [37, 1, 2])
    equal(sorted(set(two.column("axis:results"))), ["after", "before"])
    two.one('#chips label[data-axis="results"][data-value="after"]').click()
    equal((two.count("#table tbody tr"), two.count("svg.plot .point")), (20, 19))
    assert two.one("h1").text.endswith(" / sizes again"), two.one("h1").text


CHECKS = [plots_are_there, points_stand_at_their_values, table_sorts, table_sorts_by_keyboard, filter_hides,
          other_quantities_and_axes, points_tell, rows_open, text_is_text, words_stand_on_top, landmarks,
          enough_contrast, dark_and_print_differ, narrow, two_files]


def silent(driver):
    """Nothing in the console, and nothing asked for but the pages themselves."""
    loud = [entry["message"] for entry in driver.get_log("browser")]
    assert not loud, loud
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    urls = {m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"}
    assert urls, "the log has no requests, not even for the pages"
    others = [u for u in urls if not u.startswith("data:") and not u.endswith(".html")]
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
