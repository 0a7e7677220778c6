import Vigil

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
        <h1>All runs</h1>
        <p id="connection" data-state="off">not live</p>
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

    static func items(_ runs: ObservedList<Run>) -> HTML { "\(runs.map(item))" }

    /// The script of the page with all runs.
    static let listScript = """
        "use strict";

        const list = document.getElementById("list");
        const connection = document.getElementById("connection");
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
            const inserted = patch.inserted.map(({ index, html }) => ({ index, item: element(html) }));
            for (const { item } of inserted) item.classList.add("fresh");
            for (const { index, item } of inserted.concat(moved).sort((a, b) => a.index - b.index)) {
                list.insertBefore(item, list.children[index] ?? null);
            }
            for (const { index, html } of patch.updated) {
                const item = element(html);
                item.classList.add("fresh");
                list.children[index].replaceWith(item);
            }
        }

        function show() {
            connection.dataset.state = "live";
            connection.textContent = "live";
            document.getElementById("count").textContent = list.children.length;
            document.getElementById("patches").textContent = patches;
            document.getElementById("bytes").textContent = bytes;
        }

        function connect() {
            const events = new EventSource("/list/events");
            events.addEventListener("list", event => {
                list.innerHTML = event.data;
                show();
            });
            events.addEventListener("patch", event => {
                patches += 1;
                bytes += event.data.length;
                apply(JSON.parse(event.data));
                show();
            });
            events.onerror = () => {
                connection.dataset.state = "lost";
                connection.textContent = "connecting …";
                if (events.readyState === EventSource.CLOSED) setTimeout(connect, 2000);
            };
        }

        connect();

        """
}
