extension Page {
    /// The script, which replaces parts of the page when events arrive. Without it, the form still works.
    static let script = """
        "use strict";

        const board = document.getElementById("board");
        const connection = document.getElementById("connection");
        const form = document.getElementById("form");
        const message = document.getElementById("message");

        function setConnection(state, text) {
            connection.dataset.state = state;
            connection.textContent = text;
        }

        // Runs as old as the page are not marked as new.
        let newest = Math.max(0, ...[...board.querySelectorAll("li")].map(item => Number(item.dataset.id)));

        function showBoard(html) {
            board.innerHTML = html;  // The server has escaped the names.
            let last = newest;
            for (const item of board.querySelectorAll("li")) {
                const id = Number(item.dataset.id);
                if (id > newest) item.classList.add("fresh");
                if (id > last) last = id;
            }
            newest = last;
        }

        let events = null;
        let retry = 0;
        // Whether the message says that the server does not answer.
        let serverIsMissing = false;

        async function showStatus() {
            const status = await (await fetch("/status")).json();
            for (const name in status) document.getElementById(name).textContent = status[name];
        }

        // Other browsers come and go without an event.
        setInterval(() => { if (!document.hidden && events !== null) showStatus().catch(() => {}); }, 2000);

        // A browser opens six connections to a server, and a stream keeps one: hidden pages have none.
        function connectIfVisible() {
            clearTimeout(retry);
            if (document.hidden) {
                events?.close();
                events = null;
                setConnection("off", "paused");
            } else if (events === null) {
                connect();
            }
        }

        function connect() {
            events = new EventSource("/events");
            let hasFailed = false;
            // A page that connects again may have missed nothing, and receives no event then.
            events.onopen = () => {
                hasFailed = false;
                setConnection("live", "live");
                if (serverIsMissing) message.textContent = "";
                serverIsMissing = false;
            };
            events.addEventListener("value", event => {
                showBoard(JSON.parse(event.data));
                showStatus().catch(() => {});
            });
            events.addEventListener("failure", event => {
                hasFailed = true;
                setConnection("lost", event.data);
            });
            events.onerror = () => {
                // The stream ends after a failure, whose message stays until there is a board again.
                if (!hasFailed) setConnection("lost", "connecting …");
                // Browsers reconnect after a lost connection, but not after an error status.
                if (events.readyState === EventSource.CLOSED) {
                    events = null;
                    retry = setTimeout(connectIfVisible, 2000);
                }
            };
        }

        // Adds the run without loading the page again.
        form.addEventListener("submit", async event => {
            event.preventDefault();
            serverIsMissing = false;
            try {
                const response = await fetch(form.action, {
                    method: "POST", body: new URLSearchParams(new FormData(form)),
                    headers: { "Accept": "text/plain" }, redirect: "manual"
                });
                if (response.type === "opaqueredirect") {
                    message.textContent = "";
                    form.reset();
                    form.elements.runner.focus();
                } else {
                    message.textContent = await response.text();
                }
            } catch {
                message.textContent = "The server does not answer. The run is not saved.";
                serverIsMissing = true;
            }
        });

        document.addEventListener("visibilitychange", connectIfVisible);
        connectIfVisible();

        """
}
