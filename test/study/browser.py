"""browser.py - what a reader of the page of a report sees and does, in chromium, without a network."""

import json
import re
import shutil
import unittest

from case import Reports, run

try:
    import matplotlib
    from selenium import webdriver
    from selenium.webdriver.common.by import By
except ImportError:
    matplotlib = None

TITLE, FIGURE = '<script>document.title="run"</script> & <b>"sizes"</b>', "x=ranks&colour=algorithm&metric=seconds"
MESSAGE = "<img src=x onerror=document.title=1>\nrank 1 waits </script>"
MORE = {"command": ["mpirun", "-n", "2"], "environment": {"A;id": "1"}}
CONTRAST = """
  const parse = c => (c.match(/[0-9.]+/g) || []).map(Number);
  const light = c => { const [r, g, b] = c.slice(0, 3).map(v => (v /= 255) <= 0.04045 ? v / 12.92 :
    ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const behind = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor);
    if (c.length === 3 || c[3] === 1) return c; } return [255, 255, 255]; };
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + .05) / (y + .05); };
  for (const one of document.querySelectorAll('details')) one.open = true;
  const texts = [...document.querySelectorAll('body *')].filter(e => !e.closest('script') &&
    e.getClientRects().length && getComputedStyle(e).visibility === 'visible' &&
    [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()));
  return [texts.length, texts.map(e => [e.textContent.slice(0, 40), ratio(parse(getComputedStyle(e).color), behind(e))])
    .filter(one => one[1] < 4.5)];"""
TIMES = "return [...document.querySelectorAll('.sortable tbody tr')].map(r => parseFloat(r.cells[4].dataset.sort))"
TALL = """const [a, b] = ['.words', 'figure.first'].map(s => document.querySelector(s).getBoundingClientRect());
  const i = document.querySelector('figure.first img'); return [a.bottom < b.top, i.naturalWidth, i.naturalHeight]"""
WIDE = """return [document.documentElement.scrollWidth, [...document.querySelectorAll('figure div')].filter(
  e => e.getBoundingClientRect().right > 361).length]"""
PAPER = "return getComputedStyle(document.body).backgroundColor"


def records(factor):
    found = []
    for algorithm, ranks, (place, size) in ((a, r, c) for a in ("dc", "delta") for r in ("1", "2")
                                            for c in enumerate(("64", "256", "1K", "4K", "auto"))):
        settings = {"kernel": "sssp", "algorithm": algorithm, "ranks": ranks, "coalesce-bytes": size}
        end = {"status": "timeout", "message": MESSAGE} if (algorithm, ranks, size) == ("dc", "2", "64") else {}
        found += [run(settings, factor * (0.01 + 0.004 * (place - 2) ** 2 + 0.0006 * i) / (1 + (algorithm == "dc")), i,
                      **MORE, **end) for i in (1, 2, 3)]
    return found


@unittest.skipUnless(matplotlib and shutil.which("chromium") and shutil.which("chromedriver"),
                     "chromium with chromedriver, selenium or matplotlib is not installed; ./dev packages installs all")
class Page(Reports):
    def setUp(self):
        super().setUp()
        one, two = (self.file(name, records(factor), title=title) for name, factor, title in
                    (("a.jsonl", 1, TITLE), ("b.jsonl", 1.4, "sizes again")))
        self.url = "file://" + self.path("one.html")
        self.report("--quiet", one, "--html", self.path("one.html"))
        self.report("--quiet", one, two, "--html", self.path("two.html"))
        options = webdriver.ChromeOptions()
        for word in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "hide-scrollbars"):
            options.add_argument("--" + word)
        options.binary_location = shutil.which("chromium")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=webdriver.chrome.service.Service(shutil.which("chromedriver")),
                                       options=options)
        self.addCleanup(self.driver.quit)

    def open(self, page="one", width=1280, scheme="light", medium="screen", figure=""):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "media": medium, "features": [{"name": "prefers-color-scheme", "value": scheme}]})
        self.driver.get("about:blank")
        self.driver.get(self.url.replace("one", page) + figure)
        return self.driver.execute_script

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def shown(self):
        """The addresses of the figures that are displayed."""
        return [figure.get_attribute("id") for figure in self.all("figure") if figure.is_displayed()]

    def check_figures(self):
        above, width, height = self.open()(TALL)
        self.assertTrue(above and width > 200 and height > 200, (above, width, height))
        self.assertEqual(self.shown(), [FIGURE.replace("ranks", "coalesce-bytes")])
        self.one("nav summary").click()
        links = self.all("nav a")
        self.assertGreater(len(links), 5)
        for link in links[1:4]:
            link.click()
            self.assertEqual(["#" + name for name in self.shown()], [link.get_attribute("href").split("html")[1]])
        self.open(figure="#" + FIGURE)
        self.assertEqual(self.shown(), [FIGURE])
        self.assertIn("--x ranks --colour algorithm --metric seconds", self.one("figure:target figcaption").text)

    def check_the_table_sorts(self):
        js = self.open()
        for direction in ("ascending", "descending"):
            head = next(one for one in self.all(".sortable th") if one.text.strip("\u2191\u2193 ") == "time")
            head.find_element(By.TAG_NAME, "button").click()
            known = [x for x in js(TIMES) if x is not None]
            self.assertEqual((len(known), known), (19, sorted(known, reverse=direction == "descending")))
            self.assertEqual([one.get_attribute("aria-sort") for one in self.all("th[aria-sort]")], [direction])

    def check_text_is_text(self):
        self.open()
        self.assertEqual((self.driver.title, self.one("h1").text, self.all("h1 *")), (TITLE, TITLE, []))
        self.assertRegex(self.one(".failures summary").text, "timeout.*3 runs")
        self.one(".failures summary").click()
        self.assertEqual(self.one(".failures pre").text, MESSAGE)
        self.assertTrue(any("'A;id'=1 mpirun -n" in one.get_attribute("textContent") for one in self.all("dd code")))
        self.assertTrue(any("3 timeout" in one.text for one in self.all(".words li.warning")))
        self.assertTrue(all(self.all(selector) for selector in ("html[lang=en-GB]", "main h1", "nav[aria-label]",
                                                                'th[scope="col"]')))
        self.assertTrue(all(image.get_attribute("alt") for image in self.all("img")))

    def check_every_medium(self):
        papers = {}
        for page in ("one", "two"):
            for look in (("light", "screen"), ("dark", "screen"), ("light", "print"), ("dark", "print")):
                js = self.open(page, 1280, *look)
                papers[look] = js(PAPER)
                self.assertEqual((self.one("nav").is_displayed(), len(self.shown())),
                                 (look[1] == "screen", 1 + (page == "two")))
                texts, poor = js(CONTRAST)
                self.assertTrue(texts > 100 and not poor, (look, texts, poor))
            self.assertEqual(self.open(page, 360)(WIDE), [360, 0])
        self.assertNotEqual(papers["light", "screen"], papers["dark", "screen"])
        self.assertEqual(papers["dark", "print"], "rgb(255, 255, 255)")

    def check_two_files(self):
        self.open("two", figure="#" + FIGURE + "&file=2")
        self.assertTrue("after / before" in self.one("pre.changes").text and self.one("pre.changes").is_displayed())
        self.assertEqual(len(self.all("table.sortable")), 2)
        self.assertIn(FIGURE + "&file=2", self.shown())
        self.assertTrue(self.one("h1").text.endswith(" / sizes again"))

    def test_page(self):
        """In one browser, which then has neither errors nor requests but for the pages."""
        for check in (self.check_figures, self.check_the_table_sorts, self.check_text_is_text, self.check_every_medium,
                      self.check_two_files):
            with self.subTest(check.__name__):
                check()
        self.assertEqual(self.driver.get_log("browser"), [])
        messages = [json.loads(one["message"])["message"] for one in self.driver.get_log("performance")]
        urls = {one["params"]["request"]["url"] for one in messages if one["method"] == "Network.requestWillBeSent"}
        self.assertTrue(urls)
        self.assertEqual([url for url in urls if not re.match(r"data:|about:blank|file:.*\.html(#|$)", url)], [])
