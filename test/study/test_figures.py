"""test_figures.py - figures and page of `scree report`: which axis has which role, and nothing is overlaid."""

import os
import pathlib
import re
import unittest
from unittest import mock

from case import Reports, crossed, run, runs

from scree.study import plots, stats

try:
    import matplotlib.figure
except ImportError:
    matplotlib = None


class Roles(Reports):
    """Axes become x, colours and panels, or are named as averaged."""

    def graphs(self):
        records = []
        for graph in ("a.gr", "b.gr"):
            for width in ({"algorithm": "dc"}, *({"algorithm": "delta", "delta": one} for one in ("1", "10"))):
                for ranks in ("1", "2", "4"):
                    records += runs({"graph": graph, **width, "ranks": ranks}, 1.0 / int(ranks) + 0.1 * len(width))
        return self.table(records)

    def test_no_axis_is_lost(self):
        made = plots.plan(self.graphs(), plots.View())
        self.assertEqual((made.x.name, made.colours, made.panels, made.averaged),
                         ("ranks", ["algorithm", "delta"], ["graph"], []))

    def test_roles_are_asked_for(self):
        made = plots.plan(self.graphs(), plots.View("algorithm", "ranks", ("delta", "graph")))
        self.assertEqual((made.x.name, made.colours, made.panels), ("algorithm", ["ranks"], ["delta", "graph"]))
        self.assertEqual(plots.size_of("4x3"), (4, 3))
        for words in (("nowhere",), (None, "nowhere"), (None, None, ("nowhere",))):
            with self.assertRaisesRegex(plots.Refused, "'nowhere' is not an axis that varies .* graph, ranks"):
                plots.plan(self.graphs(), plots.View(*words))
        with self.assertRaisesRegex(plots.Refused, "'--size': '4' is not legal"):
            plots.size_of("4")


@unittest.skipUnless(matplotlib, "python3-matplotlib is not installed; ./dev packages installs all tools")
class Drawn(Reports):
    """What figures show."""

    def test_averages_are_named(self):
        made = self.table(crossed(lambda x, c, p, q: 1.0 + int(q), x="12345", c="0123", p="0123", q="0123"))
        roles = plots.plan(made, plots.View())
        self.assertEqual((len(roles.panels), len(roles.averaged)), (1, 1))
        text = plots.svg(plots.figure(made, plots.View(), "seconds"))
        self.assertIn(f"geometric mean over {roles.averaged[0]}", text)

    def test_no_two_series_look_alike(self):
        records = crossed(lambda x, c: 1.0, x="124", c=[f"w{i}" for i in range(16)])
        drawing = plots.figure(self.table(records), plots.View("x", "c"), "seconds")
        lines = drawing.axes[0].get_legend().get_lines()
        looks = {(line.get_color(), line.get_linestyle(), line.get_marker()) for line in lines}
        self.assertEqual((len(lines), len(looks)), (16, 16))
        more = records + [run({"x": "1", "c": "w16"}, 1.0)]
        with self.assertRaisesRegex(plots.Refused, "17 values, more than the 16 that look different"):
            plots.figure(self.table(more), plots.View("x", "c"), "seconds")

    def test_points_stand_at_their_values(self):
        made = self.table(runs({"n": "1"}, 0.010) + runs({"n": "2"}, 0.020) + runs({"n": "4"}, 0.040))
        axes = plots.figure(made, plots.View(), "seconds").axes[0]
        x, y = axes.get_lines()[0].get_data()
        self.assertEqual([round(one, 3) for one in x], [0, 0.333, 1])
        self.assertEqual([round(one, 2) for one in y], [10.04, 20.08, 40.16])  # ms, the median of five

    def test_every_panel_has_all_its_points(self):
        """The panels share their scale, which ends above the largest of all."""
        records = crossed(lambda x, c, p: 5.0 * int(x) if p == "2" else 1.0 * int(x), x="12", c="abd", p="12")
        drawing = plots.figure(self.table(records), plots.View("x", "c", ("p",)), "seconds")
        self.assertEqual(len(drawing.axes), 2)
        for axes in drawing.axes:
            self.assertTrue(axes.get_ylim()[0] == 0 and axes.get_ylim()[1] >= 10, axes.get_ylim())

    def test_words_stand_beside_numbers(self):
        self.assertEqual(plots._places(["auto", "off", "1", "10", "100"]), [-0.2, -0.1, 0, 0.5, 1])
        self.assertEqual(plots._places(["dc", "delta", "1"]), [0, 1, 2])

    def test_labels_do_not_overlap(self):
        sizes = ["auto", "64", "4K", *(str(x) for x in range(3800, 4400, 50)), "1M"]
        axes = plots.figure(self.table(crossed(lambda _: 1.0, bytes=sizes)), plots.View(), "seconds").axes[0]
        axes.figure.canvas.draw()
        boxes = [one.get_window_extent() for one in axes.get_xticklabels()]
        self.assertEqual([one.get_text() for one in axes.get_xticklabels()],
                         ["auto", "64", *(str(x) for x in range(3800, 4100, 50)), "4K", *(str(x) for x in range(4100, 4400, 50)),
                          "1M"])
        self.assertTrue(all(a.x1 < b.x0 for a, b in zip(boxes, boxes[1:])))

    def test_all_runs_are_seen(self):
        """As points beside the medians; two modes are named, outliers counted, and no series hides another."""
        records = [run({"x": x, "c": c}, 0.01 * (1.3 if i % 2 and (x, c) == ("1", "p") else 1) * (1 + 0.001 * i)
                       * (4 if i == 7 and x == "8" else 1), i) for x in "1248" for c in "pq" for i in range(1, 11)]
        table = self.table(records)
        axes = plots.figure(table, plots.View("x", "c"), "seconds").axes[0]
        self.assertEqual(sum(len(one.get_offsets()) for one in axes.collections if hasattr(one, "get_sizes")
                             and len(one.get_sizes())), 80)
        below = axes.figure._supxlabel.get_text()
        self.assertIn("two modes: c=p x=1, 10.1 ms and 13.1 ms; 2 of 80 runs far from the median", below.replace("\n", " "))
        places = [x for line in axes.get_lines() if str(line.get_marker()) in plots._MARKS and line.get_marker() for x in line.get_xdata()]
        self.assertEqual(len(places), len({round(x, 6) for x in places}))
        for values, found in (([1, 1.1, 1.2, 2, 2.1, 2.2], 2), ([1, 2, 3, 4, 5, 6], 0), ([1, 1.1, 2, 2.1], 0), ([], 0),
                              ([1.0] * 8, 0), ([1, 1, 1, 2, 2, 2], 2), ([1] * 20 + [2], 0)):
            self.assertEqual(len(stats.modes(values)), found, values)

    def test_means_have_intervals(self):
        records = crossed(lambda x, c, p, q: 1.0 + int(q), 5, x="12345", c="0123", p="0123", q="0123")
        table = self.table(records)
        found = plots._interval_of(table.groups[:4], "seconds")
        self.assertTrue(found.low < found.median < found.high and found.n == 5, found)

    def test_titles_of_panels_do_not_overlap(self):
        records = [run({"x": x, "lock-of-the-threads": lock, "lock-of-the-messages": "ticket"}, 1.0) for x in "12"
                   for lock in ("mutex", "priority-of-some-kind")]
        records += [run({"x": "3", "lock-of-the-threads": "mutex", "lock-of-the-messages": "mutex"}, 1.0)]
        view = plots.View("x", None, ("lock-of-the-threads", "lock-of-the-messages"))
        drawing = plots.figure(self.table(records), view, "seconds")
        drawing.draw_without_rendering()
        boxes = [axes.title.get_window_extent() for axes in drawing.axes]
        self.assertEqual(len(boxes), 3)
        self.assertTrue(all(a.x1 < b.x0 for a, b in zip(boxes, boxes[1:])), boxes)


@unittest.skipUnless(matplotlib, "python3-matplotlib is not installed; ./dev packages installs all tools")
class Files(Reports):
    """--plots and --html."""

    def undrawn(self):
        """Figures are empty, for tests of what is around them: most of their time is drawing."""
        patch = mock.patch.object(plots, "figure", lambda *_: matplotlib.figure.Figure())
        patch.start()
        self.addCleanup(patch.stop)

    def sizes(self):
        records = crossed(lambda _, size: 1.0 + len(size), 3,
                          **{"algorithm": ("dc", "$x_1$"), "coalesce-bytes": ("auto", "64", "1K")})
        records.append(run({"algorithm": "dc", "coalesce-bytes": "4K"}, 0, status="failed",
                           message="<img src=x>\nscree: </script> & more"))
        return self.file("a.jsonl", records)

    def test_plots(self):
        folder = self.path("plots")
        self.report(self.sizes(), "--quiet", "--plots", folder, "--x", "coalesce-bytes", "--metric", "seconds",
                    "--metric", "bytes/messages")
        names = ["coalesce-bytes", "coalesce-bytes-bytes_messages"]
        self.assertEqual(sorted(os.listdir(folder)),
                         sorted(f"{name}.{kind}" for name in names for kind in ("svg", "png", "pdf")))
        text = self.read(os.path.join(folder, "coalesce-bytes.svg"))
        self.says(text, "planted", r">algorithm=\$x_1\$<", r">dc<", "not drawn: 1 configuration without a correct "
                  "result", "coalesce-bytes .bytes.", ">median time, s, interval<", ">1K<")
        for name, start in (("png", b"\x89PNG"), ("pdf", b"%PDF")):
            self.assertEqual(pathlib.Path(folder, "coalesce-bytes." + name).read_bytes()[:4], start)
        self.says(self.report(self.sizes(), "--quiet", "--plots", folder, "--metric", "nothing", code=2),
                  "has a number 'nothing'")

    def test_names_of_files(self):
        """Of each axis, of times and messages; of two files; of an axis whose name is a path."""
        self.undrawn()
        name, folder = self.sizes(), self.path("plots")
        self.addCleanup(os.umask, os.umask(0))
        self.report("--quiet", name, "--plots", folder)
        self.assertEqual(sorted(one[:-4] for one in os.listdir(folder) if one.endswith(".svg")),
                         ["algorithm", "algorithm-messages", "coalesce-bytes", "coalesce-bytes-messages"])
        self.assertEqual(os.stat(folder).st_mode & 0o777, 0o755)
        path = self.file("b.jsonl", runs({"../x": "1"}, 1.0) + runs({"../x": "2"}, 1.0))
        self.report("--quiet", path, path, "--metric", "seconds", "--plots", folder)
        for which in "12":
            self.assertEqual(sorted(os.listdir(f"{folder}-{which}")), ["_x.pdf", "_x.png", "_x.svg"])

    def test_a_directory_of_others_is_refused(self):
        os.mkdir(self.path("open"))
        os.chmod(self.path("open"), 0o777)
        text = self.report(self.sizes(), "--quiet", "--plots", self.path("open"), code=2)
        self.says(text, r"others may write to directory '.*open' \(mode 777\)")
        if os.geteuid() == 0:
            os.chown(self.path("open"), 12345, -1)
            text = self.report(self.sizes(), "--quiet", "--plots", self.path("open"), code=2)
            self.says(text, r"belongs to another user \(12345\)")

    def test_the_page_has_an_address_for_each_figure(self):
        self.report(self.sizes(), "--quiet", "--html", self.path("a.html"), "--metric", "seconds", "--metric",
                    "bytes/messages")
        text = self.read(self.path("a.html"))
        figures, links = re.findall(r'<figure id="([^"]*)"', text), re.findall(r'<a href="#([^"]*)"', text)
        self.assertEqual(figures, links)
        self.assertIn("x=coalesce-bytes&amp;colour=algorithm&amp;metric=bytes/messages", figures)
        self.assertIn("x=algorithm&amp;colour=coalesce-bytes&amp;metric=seconds", figures)
        self.assertIn("--x coalesce-bytes --colour algorithm --metric bytes/messages", text)
        self.assertNotIn("<img src=x>", text)
        self.says(text, "&lt;img src=x&gt;", "&lt;/script&gt; &amp; more")
        self.assertEqual(text.count("</script>"), 1)

    def test_an_address_has_all_that_was_asked_for(self):
        self.undrawn()
        asked = ("--x", "coalesce-bytes", "--panel", "algorithm", "--where", "coalesce-bytes=64,1K", "--size", "6x4.5")
        page = self.report(self.sizes(), "--html", "-", *asked)
        self.assertIn("x=coalesce-bytes&amp;panel=algorithm&amp;metric=seconds&amp;where=coalesce-bytes=64,1K&amp;"
                      "size=6x4.5", page)
        options = "--x coalesce-bytes --panel algorithm --metric seconds --where coalesce-bytes=64,1K --size 6x4.5"
        self.assertIn(options, page)

    def test_other_pages(self):
        """One that would replace another file, and one of two files."""
        self.undrawn()
        path = self.sizes()
        self.says(self.report(path, "--quiet", "--html", path, code=2),
                  "exists and is not an HTML page; it is not overwritten")
        other = self.file("b.jsonl", runs({"algorithm": "dc", "coalesce-bytes": "64"}, 5.0))
        page = self.report(self.sizes(), other, "--html", "-")
        self.says(page, '<h2>Comparison</h2><pre class="changes">before: ', "^slower: 1$")
