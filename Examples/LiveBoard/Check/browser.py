"""Drives headless Chromium with its DevTools protocol, through a pipe and without other packages."""

import base64
import json
import os
import re
import subprocess


class BrowserError(Exception):
    """An error of the browser, or an expectation about a page that was not met."""


class Browser:
    """A Chromium process. Use it in a `with` statement."""

    def __init__(self, program, folder):
        self._last_id = 0
        self._unread = b""
        self._events = []
        # Chromium reads commands from descriptor 3 and writes responses to descriptor 4.
        commands, self._commands = os.pipe()
        self._responses, responses = os.pipe()
        arguments = [
            program, "--headless=new", "--remote-debugging-pipe", "--user-data-dir=" + folder, "--no-first-run",
            "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-proxy-server", "about:blank",
        ]
        if os.geteuid() == 0:
            arguments.insert(1, "--no-sandbox")  # required for root, as in containers
        shell = ["sh", "-c", f'exec 3<&{commands} 4>&{responses}; exec "$@"', "sh"]
        with open(os.path.join(folder, "chromium.log"), "wb") as log:
            self._process = subprocess.Popen(
                shell + arguments, pass_fds=(commands, responses), stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        os.close(commands)
        os.close(responses)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.command("Browser.close")
        except (BrowserError, OSError):
            self._process.kill()
        self._process.wait(timeout=20)
        os.close(self._commands)
        os.close(self._responses)

    def context(self):
        """Returns a context whose pages share connections, as the tabs of one browser do."""
        return self.command("Target.createBrowserContext")["browserContextId"]

    def open(self, address, width=1080, height=800, context=None):
        """Opens a page. Without a context, it shares no connections with others, as in another browser."""
        context = context or self.context()
        target = self.command(
            "Target.createTarget", url="about:blank", browserContextId=context, width=width, height=height,
            newWindow=True)["targetId"]
        session = self.command("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.command("Page.enable", session)
        self._events.clear()
        failure = self.command("Page.navigate", session, url=address).get("errorText")
        if failure:
            raise BrowserError(f"{address}: {failure}")
        while not any(e["method"] == "Page.loadEventFired" and e.get("sessionId") == session for e in self._events):
            self._read()
        return Page(self, target, session)

    def command(self, method, session=None, **parameters):
        """Sends a command, and returns its result."""
        self._last_id += 1
        message = {"id": self._last_id, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._commands, data):]
        while True:
            response = self._read()
            if response.get("id") == self._last_id:
                break
        if "error" in response:
            raise BrowserError(f"{method}: {response['error'].get('message')}")
        return response["result"]

    def _read(self):
        while b"\0" not in self._unread:
            data = os.read(self._responses, 1 << 16)
            if not data:
                raise BrowserError("Chromium has ended")
            self._unread += data
        data, self._unread = self._unread.split(b"\0", 1)
        message = json.loads(data)
        if "method" in message:
            self._events.append(message)
        return message


class Page:
    """A page in a browser."""

    def __init__(self, browser, target, session):
        self._browser = browser
        self._target = target
        self._session = session

    def evaluate(self, expression):
        """Returns the value of a JavaScript expression, or of its promise."""
        result = self._browser.command(
            "Runtime.evaluate", self._session, expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description") or details["text"])
        return result["result"].get("value")

    def wait(self, condition, seconds=20):
        """Waits until a JavaScript condition is true, which is evaluated whenever the page changes."""
        script = """new Promise((resolve, reject) => {
            const holds = () => { try { return CONDITION; } catch { return false; } };
            const observer = new MutationObserver(check);
            const timer = setTimeout(() => {
                observer.disconnect();
                reject(new Error("not met in SECONDS s: " + TEXT + "; the page shows:\\n" + document.body.innerText));
            }, SECONDS * 1000);
            function check() {
                if (!holds()) return;
                observer.disconnect();
                clearTimeout(timer);
                resolve();
            }
            observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
            check();
        })"""
        replacements = {"SECONDS": str(seconds), "TEXT": json.dumps(condition), "CONDITION": condition}
        self.evaluate(re.sub("SECONDS|TEXT|CONDITION", lambda match: replacements[match.group(0)], script))

    def set_hidden(self, hidden):
        """Makes the page believe that it is hidden, as behind another tab. Headless pages are always visible."""
        self.evaluate(
            f"""Object.defineProperty(document, "hidden", {{ value: {json.dumps(hidden)}, configurable: true }});
            document.dispatchEvent(new Event("visibilitychange"))""")

    def prefer(self, scheme):
        """Sets the preferred color scheme, `light` or `dark`."""
        self._browser.command(
            "Emulation.setEmulatedMedia", self._session,
            features=[{"name": "prefers-color-scheme", "value": scheme}])

    def screenshot(self, path, width=1080, scale=1.5):
        """Writes a picture of the whole page."""
        height = self.evaluate("document.documentElement.scrollHeight")
        self._browser.command(
            "Emulation.setDeviceMetricsOverride", self._session, width=width, height=height,
            deviceScaleFactor=scale, mobile=False)
        height = self.evaluate("Math.ceil(document.body.getBoundingClientRect().height)")
        self._browser.command(
            "Emulation.setDeviceMetricsOverride", self._session, width=width, height=height,
            deviceScaleFactor=scale, mobile=False)
        data = self._browser.command("Page.captureScreenshot", self._session, format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def close(self):
        self._browser.command("Target.closeTarget", targetId=self._target)
