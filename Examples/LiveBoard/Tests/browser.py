#!/usr/bin/env python3
"""Usage: Examples/LiveBoard/Tests/browser.py LIVEBOARD

Tests the pages of a LiveBoard executable in Chromium: two windows with different queries, a run that is added with
the form, runs of another process, a server that is killed and started again, and the width of a phone. Requires
chromedriver and the sqlite3 shell: apt-get install chromium-driver sqlite3. Prints each check, and exits with
status 1 at the first one that fails.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

PHONE = 390  # pixels, the width of a phone


class Browser:
    """A session of Chromium, by the protocol of WebDriver (https://www.w3.org/TR/webdriver2/)."""

    def __init__(self):
        line = begin(["chromedriver", "--port=0"], "successfully on port")[1]
        self.address = "http://127.0.0.1:" + re.search(r"on port (\d+)", line)[1]
        self.session = ""
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage"]}
        answer = self.send("POST", "/session", {
            "capabilities": {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options}}})
        self.session = "/session/" + answer["sessionId"]

    def send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + self.session + path, data, method=method)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def window(self, page):
        """Opens a page in a new window, and returns the window."""
        handle = self.send("POST", "/window/new", {"type": "window"})["handle"]
        self.select(handle)
        self.send("POST", "/url", {"url": page})
        return handle

    def select(self, window):
        self.send("POST", "/window", {"handle": window})

    def run(self, script):
        return self.send("POST", "/execute/sync", {"script": script, "args": []})

    def wait(self, window, check, script, expected):
        """Waits until a script returns a value in a window."""
        self.select(window)
        end = time.monotonic() + 30
        while (value := self.run("return " + script)) != expected:
            if time.monotonic() > end:
                raise SystemExit(f"FAILED: {check}: {value!r} instead of {expected!r}")
            time.sleep(0.05)
        print("passed:", check)


processes = []


def begin(arguments, message):
    """Starts a process, and waits for a line of its output. Returns both."""
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, start_new_session=True)
    processes.append(process)
    line = next((line for line in process.stdout if message in line), None)
    if line is None:
        raise SystemExit(f"FAILED: {arguments[0]} ended with status {process.wait()}")
    threading.Thread(target=process.stdout.read, daemon=True).start()
    return process, line


def end_processes():
    for process in processes:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


def start(liveboard, file, port):
    server, line = begin([liveboard, "--host", "127.0.0.1", "--port", str(port), file], "http://")
    return server, int(re.search(r":(\d+)/", line)[1])


def add(file, runner, meters):
    """Adds a run from another process."""
    subprocess.run(
        ["sqlite3", "-cmd", ".timeout 5000", file,
         f"INSERT INTO run (runner, meters) VALUES ('{runner}', {meters})"], check=True)


def main(liveboard):
    with tempfile.TemporaryDirectory() as folder:
        file = folder + "/runs.db"
        try:
            server, port = start(liveboard, file, 0)
            test(Browser(), liveboard, file, server, port)
        finally:
            end_processes()
    print("Passed")


def test(browser, liveboard, file, server, port):
    page = f"http://127.0.0.1:{port}"
    state = "document.getElementById('connection').dataset.state"
    count = "document.querySelectorAll('#list li').length"
    names = "[...document.querySelectorAll('#list li .name')].map(name => name.textContent)"
    board = "[...document.querySelectorAll('#board li .name')].map(name => name.textContent)"
    ada = browser.window(page + "/list?runner=Ada")
    every = browser.window(page + "/")
    browser.wait(ada, "the list is connected", state, "live")
    browser.wait(every, "the board is connected", state, "live")

    browser.run("""
        const form = document.getElementById('form');
        form.elements.runner.value = 'Ada';
        form.elements.kilometers.value = '5';
        form.requestSubmit();""")
    browser.wait(every, "the board shows a run of its form", board, ["Ada"])
    browser.wait(ada, "so does the list of the runner in the other window", names, ["Ada"])
    add(file, "Grace", 7000)
    browser.wait(every, "the board shows a run of another process", board, ["Grace", "Ada"])
    browser.wait(ada, "the list of one runner does not", names, ["Ada"])

    # Not loaded again by the test: the pages must find the next server, and what they have missed.
    for window in [ada, every]:
        browser.select(window)
        browser.run("window.isTheSamePage = true")
    server.kill()
    server.wait()
    browser.wait(every, "the board notices that the server was killed", state, "lost")
    browser.wait(ada, "the list, too", state, "lost")
    add(file, "Ada", 9000)
    start(liveboard, file, port)
    browser.wait(every, "the board shows what happened in between", board, ["Ada", "Grace", "Ada"])
    browser.wait(ada, "the list, too", names, ["Ada", "Ada"])
    add(file, "Ada", 1000)
    browser.wait(ada, "the list follows the next server", count, 3)
    for window in [ada, every]:
        browser.wait(window, "the page is the same, and live", f"[window.isTheSamePage, {state}]", [True, "live"])

    add(file, "A name that is much longer than a phone is wide, without an end " * 2, 1000)
    browser.wait(every, "a long name arrives", "document.querySelectorAll('#board li').length", 5)
    for window in [every, ada]:
        browser.select(window)
        browser.send("POST", "/window/rect", {"width": PHONE, "height": 844})
        browser.wait(
            window, "nothing is wider than a phone",
            "[window.innerWidth, Math.max(window.innerWidth, document.documentElement.scrollWidth)]",
            [PHONE, PHONE])


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        sys.exit(0 if "--help" in sys.argv else 2)
    main(sys.argv[1])
