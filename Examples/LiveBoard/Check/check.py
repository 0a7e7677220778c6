"""Checks LiveBoard in headless Chromium while another process writes. Started by Scripts/demo-live-check."""

import argparse
import json
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

from browser import Browser, BrowserError


class Server:
    """A LiveBoard process. Use it in a `with` statement."""

    def __init__(self, program, database, port=0):
        self._process = subprocess.Popen(
            [program, "--port", str(port), "--samples", database], stdout=subprocess.PIPE, text=True)
        line = self._process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        if not found:
            self._process.wait()
            raise BrowserError(f"LiveBoard printed no address: {line!r}")
        self.address = found.group(0)
        self.port = int(found.group(1))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._process.stdout.close()

    def status(self):
        with urllib.request.urlopen(self.address + "status") as response:
            return json.load(response)

    def stop(self, number):
        """Sends a signal, and returns the seconds until the server has ended."""
        started = time.monotonic()
        self._process.send_signal(number)
        status = self._process.wait(timeout=15)
        if status != 0:
            raise BrowserError(f"LiveBoard ended with status {status} after {signal.Signals(number).name}")
        return time.monotonic() - started


def say(text):
    print(text, flush=True)


def expect(condition, text):
    if not condition:
        raise BrowserError(f"not met: {text}")


def text_is(identifier, value):
    return f"document.getElementById({json.dumps(identifier)}).textContent === {json.dumps(value)}"


def first_name_is(name):
    return f"document.querySelector('#board li .name').textContent === {json.dumps(name)}"


def number(page, identifier):
    return float(page.evaluate(f"document.getElementById({json.dumps(identifier)}).textContent"))


class Check:
    def __init__(self, options, folder):
        self.options = options
        self.database = folder + "/runs.db"

    def write(self, sql):
        """Changes the database in another process, the sqlite3 shell."""
        subprocess.run(
            [self.options.sqlite3, "-bail", "-cmd", ".timeout 5000", self.database, sql], check=True,
            stdout=subprocess.DEVNULL)

    def open(self, browser, server, count):
        pages = [browser.open(server.address) for _ in range(count)]
        for page in pages:
            page.wait("document.getElementById('connection').dataset.state === 'live'")
            page.wait(text_is("observations", "1"))
        return pages

    def change_by_another_process(self, pages):
        for page in pages:
            page.wait(text_is("browsers", "2"))
        total = number(pages[0], "total")
        runs = number(pages[0], "runs")
        fetches = number(pages[0], "fetches")
        name = "<b>&\"'</b>"
        self.write("INSERT INTO run (runner, meters) VALUES ('<b>&\"''</b>', 42195)")
        for page in pages:
            page.wait(first_name_is(name))
            expect(page.evaluate("document.querySelectorAll('#board b').length") == 0, "the name is escaped")
            page.wait(text_is("runs", str(int(runs) + 1)))
            expect(abs(number(page, "total") - total - 42.2) < 0.11, "the total has grown by 42.2 km")
            bars = "[...document.querySelectorAll('#chart g')].map(g => g.dataset.name)"
            expect(name in page.evaluate(bars), "the chart has a bar for the name")
            page.wait(f"Number(document.getElementById('fetches').textContent) > {fetches}")
        cost = number(pages[0], "fetches") - fetches
        say(f"A run inserted by sqlite3 is in both pages: {cost:.0f} fetch for 2 pages")
        expect(cost == 1, "one fetch for both pages")
        self.write(f"DELETE FROM run WHERE meters = 42195")
        for page in pages:
            page.wait(text_is("runs", str(int(runs))))
        say("A deletion by sqlite3 is in both pages")

    def submit(self, page, runner, kilometers):
        page.evaluate(
            f"""(() => {{
                const form = document.getElementById("form");
                form.elements.runner.value = {json.dumps(runner)};
                form.elements.kilometers.value = {json.dumps(kilometers)};
                form.requestSubmit();
            }})()""")

    def form(self, pages):
        self.submit(pages[0], "Sally", "12.5")
        for page in pages:
            page.wait(first_name_is("Sally"))
        pages[0].wait("document.getElementById('form').elements.runner.value === ''")
        self.submit(pages[1], "   ", "12.5")
        pages[1].wait(text_is("message", "Enter the name of the runner."))
        say("A run added with the form is in both pages; a run without a name is refused with a message")

    def list(self, browser, server):
        """Checks the page with all runs, which receives patches."""
        page = browser.open(server.address + "list")
        page.wait("document.getElementById('connection').dataset.state === 'live'")
        count = number(page, "count")
        for sql in [
            "INSERT INTO run (runner, meters) VALUES ('<i>Ida</i>', 5100)",
            "UPDATE run SET meters = meters + 100 WHERE id = 3",
            "DELETE FROM run WHERE id IN (5, 9)",
            "UPDATE run SET id = 6000 WHERE id = 7",
        ]:
            patches = number(page, "patches")
            self.write(sql)
            page.wait(f"Number(document.getElementById('patches').textContent) > {patches}")
        page.wait(text_is("count", str(int(count) - 1)))
        ids = [int(line) for line in subprocess.run(
            [self.options.sqlite3, self.database, "SELECT id FROM run ORDER BY id DESC"], check=True,
            capture_output=True, text=True).stdout.split()]
        expect(
            page.evaluate("[...document.querySelectorAll('#list li')].map(item => Number(item.dataset.id))") == ids,
            "the list has the rows of the database in their order")
        expect(page.evaluate("document.querySelectorAll('#list i').length") == 0, "the name is escaped")
        say(f"The page with all runs has applied {number(page, 'patches'):.0f} patches "
            f"of {number(page, 'bytes') / number(page, 'patches'):.0f} characters on average")
        if self.options.list:
            page.screenshot(self.options.list)
            say(f"Wrote {self.options.list}")
        page.close()
        self.write("DELETE FROM run WHERE id = 6000 OR meters = 5100")

    def tabs(self, browser, server):
        """Checks that many tabs of one browser load, although it has six connections to a server."""
        context = browser.context()
        tabs = []
        for _ in range(8):
            if tabs:
                tabs[-1].set_hidden(True)
                tabs[-1].wait(text_is("connection", "paused"))
            tabs.append(browser.open(server.address, context=context))
            tabs[-1].wait(text_is("connection", "live"))
        tabs[-1].wait(text_is("browsers", "3"))
        tabs[-1].set_hidden(True)
        self.write("INSERT INTO run (runner, meters) VALUES ('Hidden', 4300)")
        expect(not tabs[0].evaluate(first_name_is("Hidden")), "a hidden tab receives nothing")
        tabs[0].set_hidden(False)
        tabs[0].wait(first_name_is("Hidden"))
        tabs[0].wait(text_is("connection", "live"))
        self.write("DELETE FROM run WHERE meters = 4300")
        for tab in tabs:
            tab.close()
        say("Eight tabs of one browser have loaded; a hidden tab is brought up to date when it is shown")

    def restart(self, server, pages):
        took = server.stop(signal.SIGINT)
        say(f"Ctrl-C ends the server in {took:.1f} s, with two pages open")
        expect(took < 4, "the event streams end with the server")
        for page in pages:
            page.wait("document.getElementById('connection').dataset.state === 'lost'")
        self.submit(pages[1], "Tracy", "9.2")
        pages[1].wait(text_is("message", "The server does not answer. The run is not saved."))
        self.write("INSERT INTO run (runner, meters) VALUES ('Tracy', 9200)")

    def after_restart(self, pages):
        for page in pages:
            page.wait("document.getElementById('connection').dataset.state === 'live'")
            page.wait(first_name_is("Tracy"))
            page.wait(text_is("message", ""))
        say("The pages have connected again, and show what was written in between")

    def screenshot(self, browser, server, pages):
        others = self.open(browser, server, 4)
        pages[0].wait(text_is("browsers", "6"))
        for name, meters in [("Ada", 8400), ("Radia", 12600), ("Grace", 10300)]:
            self.write(f"INSERT INTO run (runner, meters) VALUES ('{name}', {meters})")
            for page in pages + others:
                page.wait(first_name_is(name))
        for scheme, path in [("dark", self.options.dark), ("light", self.options.light)]:
            if path:
                pages[0].evaluate("document.activeElement.blur()")
                pages[0].prefer(scheme)
                pages[0].screenshot(path)
                say(f"Wrote {path}")
        for page in others:
            page.close()
        pages[0].wait(text_is("browsers", "2"))

    def leave(self, server, pages):
        pages[1].close()
        pages[0].wait(text_is("browsers", "1"))
        pages[0].close()
        deadline = time.monotonic() + 20
        while True:
            status = server.status()
            if status["browsers"] == 0 and status["observations"] == 0:
                break
            expect(time.monotonic() < deadline, f"the observation ends with the last page: {status}")
            time.sleep(0.05)
        say("The observation has ended with the last page")

    def run(self, browser):
        with Server(self.options.server, self.database) as server:
            pages = self.open(browser, server, 2)
            self.change_by_another_process(pages)
            self.form(pages)
            self.list(browser, server)
            self.tabs(browser, server)
            self.restart(server, pages)
            port = server.port
        with Server(self.options.server, self.database, port) as server:
            self.after_restart(pages)
            self.screenshot(browser, server, pages)
            self.leave(server, pages)
            server.stop(signal.SIGTERM)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", required=True, help="the LiveBoard program")
    parser.add_argument("--chromium", required=True, help="the Chromium program")
    parser.add_argument("--sqlite3", default="sqlite3", help="the sqlite3 shell")
    parser.add_argument("--light", help="the file for a picture of the page")
    parser.add_argument("--dark", help="the file for a picture with the dark color scheme")
    parser.add_argument("--list", help="the file for a picture of the page with all runs")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        try:
            with Browser(options.chromium, folder) as browser:
                Check(options, folder).run(browser)
        except (BrowserError, OSError, subprocess.SubprocessError) as error:
            sys.exit(f"check.py: {error}")
    say("Passed")


if __name__ == "__main__":
    main()
