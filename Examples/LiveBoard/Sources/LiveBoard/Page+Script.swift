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

        function showLocalTimes() {
            for (const time of board.querySelectorAll("time")) {
                const date = new Date(time.dataset.utc.replace(" ", "T") + "Z");
                if (isNaN(date)) continue;
                time.title = time.textContent;
                time.textContent = date.toLocaleString([], {
                    month: "short", day: "numeric", hour: "2-digit", minute: "2-digit"
                });
            }
        }

        // Runs as old as the page are not marked as new.
        let newest = Math.max(0, ...[...board.querySelectorAll("li")].map(item => Number(item.dataset.id)));

        function showBoard(html) {
            board.innerHTML = html;  // The server has escaped the names.
            showLocalTimes();
            let last = newest;
            for (const item of board.querySelectorAll("li")) {
                const id = Number(item.dataset.id);
                if (id > newest) item.classList.add("fresh");
                if (id > last) last = id;
            }
            newest = last;
        }

        function connect() {
            const events = new EventSource("/events");
            let hasFailed = false;
            events.addEventListener("board", event => {
                hasFailed = false;
                setConnection("live", "live");
                showBoard(event.data);
            });
            events.addEventListener("status", event => {
                document.getElementById("status").innerHTML = event.data;
            });
            events.addEventListener("failure", event => {
                hasFailed = true;
                setConnection("lost", event.data);
            });
            events.onerror = () => {
                // The stream ends after a failure, whose message stays until there is a board again.
                if (!hasFailed) setConnection("lost", "connecting …");
                // Browsers reconnect after a lost connection, but not after an error status.
                if (events.readyState === EventSource.CLOSED) setTimeout(connect, 2000);
            };
        }

        // Adds the run without loading the page again.
        form.addEventListener("submit", async event => {
            event.preventDefault();
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
            }
        });

        showLocalTimes();
        connect();

        """
}
