/// Renders the page, and the fragments of it that events replace.
enum Page {
    /// Returns the whole page. It shows the board without JavaScript too.
    ///
    /// - Parameter refusal: The message about a form that was refused, and the fields of that form.
    static func document(
        _ board: Board, _ status: Broadcast.Status, refusal: (message: String, fields: RunFields)? = nil
    ) -> HTML {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>LiveBoard</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="/board.css">
        <script src="/board.js" defer></script>
        </head>
        <body>
        <header>
        <h1>LiveBoard</h1>
        <p id="connection" data-state="off" role="status">not live</p>
        <div id="status">\(self.status(status))</div>
        </header>
        <main>
        <div id="board">\(self.board(board))</div>
        \(form(refusal?.message, refusal?.fields))
        </main>
        <noscript><p>Without JavaScript, reload the page to see new runs.</p></noscript>
        </body>
        </html>

        """
    }

    /// Returns the list, the aggregates and the chart.
    static func board(_ board: Board) -> HTML {
        """
        <section class="totals" aria-label="Totals">
        \(tile("Distance", kilometers(board.totals.meters), unit: "km", id: "total"))
        \(tile("Runs", String(board.totals.runs), id: "runs"))
        \(tile("Runners", String(board.totals.runners), id: "runners"))
        \(tile("Longest run", kilometers(board.totals.longest), unit: "km", id: "longest"))
        </section>
        <section class="card chart">
        <h2>Kilometers per runner</h2>
        \(BarChart(bars: board.runners.map { .init(name: $0.name, meters: $0.meters, runs: $0.runs) }).svg)
        </section>
        <section class="card list">
        <h2>Latest runs</h2>
        <ol>\(board.latest.map(item))</ol>
        <p class="more"><a href="/list">All runs</a></p>
        </section>
        """
    }

    /// Returns the figures of the server.
    static func status(_ status: Broadcast.Status) -> HTML {
        """
        <p>browsers <b id="browsers">\(status.browsers)</b> · observations \
        <b id="observations">\(status.observations)</b> · fetches <b id="fetches">\(status.fetches)</b> · \
        events <b id="updates">\(status.updates)</b></p>
        """
    }

    /// Returns a distance with one decimal, such as `7.5`.
    static func kilometers(_ meters: Int) -> String {
        let tenths = (meters + 50) / 100
        return "\(tenths / 10).\(tenths % 10)"
    }

    private static func tile(_ label: String, _ value: String, unit: String = "", id: String) -> HTML {
        """
        <div class="card tile"><span>\(label)</span><strong><span id="\(id)">\(value)</span>\
        \(unit.isEmpty ? "" : "<small>\(unit)</small>" as HTML)</strong></div>
        """
    }

    static func item(_ run: Run) -> HTML {
        """
        <li data-id="\(run.id)"><span class="name">\(run.runner)</span>\
        <span class="distance">\(kilometers(run.meters)) km</span>\
        <time datetime="\(run.date)Z">\(run.date.prefix(16)) UTC</time></li>
        """
    }

    private static func form(_ message: String?, _ fields: RunFields?) -> HTML {
        """
        <form class="card" id="form" method="post" action="/runs">
        <h2>Log a run</h2>
        <label>Runner
        <input name="runner" required maxlength="\(NewRun.longestName)" autocomplete="off" value="\(fields?.runner ?? "")">
        </label>
        <label>Kilometers
        <input name="kilometers" required inputmode="decimal" autocomplete="off" value="\(fields?.kilometers ?? "")">
        </label>
        <button>Add</button>
        <p id="message" role="alert">\(message ?? "")</p>
        </form>
        """
    }
}
