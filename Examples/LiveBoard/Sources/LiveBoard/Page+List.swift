extension Page {
    /// Returns the page with all runs, whose items arrive as events.
    static func list() -> HTML {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>LiveBoard: all runs</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="/board.css">
        <script src="/list.js" defer></script>
        </head>
        <body>
        <header>
        <h1 id="title">All runs</h1>
        <p id="connection" data-state="off" role="status">not live</p>
        <p><a href="/">Board</a></p>
        </header>
        <main>
        <section class="card list">
        <h2><span id="count">0</span> runs, <span id="bytes">0</span> characters received in \
        <span id="patches">0</span> patches</h2>
        <ol id="list"></ol>
        </section>
        </main>
        <noscript><p>This page needs JavaScript.</p></noscript>
        </body>
        </html>

        """
    }

    /// The script of the page with all runs.
    static let listScript = """
        "use strict";

        const list = document.getElementById("list");
        const connection = document.getElementById("connection");
        const runner = new URLSearchParams(location.search).get("runner");
        if (runner !== null) document.getElementById("title").textContent = "Runs of " + runner;
        let patches = 0;
        let bytes = 0;

        function element(html) {
            const template = document.createElement("template");
            template.innerHTML = html;  // The server has escaped the names.
            return template.content.firstElementChild;
        }

        function apply(patch) {
            const moved = patch.moved.map(move => ({ index: move.to, item: list.children[move.from] }));
            const removed = patch.removed.map(index => list.children[index]);
            for (const item of removed.concat(moved.map(move => move.item))) item.remove();
            const inserted = patch.inserted.map(({ at, row }) => ({ index: at, item: element(row) }));
            for (const { item } of inserted) item.classList.add("fresh");
            for (const { index, item } of inserted.concat(moved).sort((a, b) => a.index - b.index)) {
                list.insertBefore(item, list.children[index] ?? null);
            }
            for (const { at, row } of patch.updated) {
                const item = element(row);
                item.classList.add("fresh");
                list.children[at].replaceWith(item);
            }
        }

        function setConnection(state, text) {
            connection.dataset.state = state;
            connection.textContent = text;
        }

        function show() {
            document.getElementById("count").textContent = list.children.length;
            document.getElementById("patches").textContent = patches;
            document.getElementById("bytes").textContent = bytes;
        }

        let events = null;
        let retry = 0;

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
            // The query of the page is the query of the stream: /list?runner=Ada&limit=20
            const query = new URLSearchParams(location.search).toString().replaceAll("+", "%20");
            events = new EventSource("/list/events?" + query);
            let hasFailed = false;
            // A page that connects again may have missed nothing, and receives no event then.
            events.onopen = () => {
                hasFailed = false;
                setConnection("live", "live");
            };
            events.addEventListener("list", event => {
                list.innerHTML = JSON.parse(event.data).join("");
                show();
            });
            events.addEventListener("patch", event => {
                patches += 1;
                bytes += event.data.length;
                apply(JSON.parse(event.data));
                show();
            });
            events.addEventListener("failure", event => {
                hasFailed = true;
                setConnection("lost", event.data);
            });
            events.onerror = () => {
                if (!hasFailed) setConnection("lost", "connecting …");
                if (events.readyState === EventSource.CLOSED) {
                    events = null;
                    retry = setTimeout(connectIfVisible, 2000);
                }
            };
        }

        document.addEventListener("visibilitychange", connectIfVisible);
        connectIfVisible();

        """
}
