extension Page {
    /// The style sheet.
    static let style = """
        :root {
            --page: #f4f6fb; --card: #ffffff; --text: #16202e; --soft: #5d6b80; --line: #e3e8f0;
            --accent: #2f6fed; --accent-end: #18a0c9; --live: #14996a; --wrong: #c62f3d; --fresh: #e4eeff;
        }
        @media (prefers-color-scheme: dark) {
            :root {
                --page: #10141c; --card: #191f2a; --text: #e9eef7; --soft: #93a1b7; --line: #2a3342;
                --accent: #5b8dff; --accent-end: #3cc3e6; --live: #43d69f; --wrong: #ff7a85; --fresh: #22345c;
            }
        }
        * { box-sizing: border-box; }
        body {
            margin: 0 auto; padding: 1.75rem 1.25rem 2rem; max-width: 1080px; background: var(--page);
            color: var(--text); font: 16px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
        }
        header { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1rem; margin-bottom: 1.25rem; }
        h1 { margin: 0; font-size: 1.6rem; letter-spacing: -0.02em; }
        h2 { margin: 0 0 0.9rem; font-size: 0.95rem; color: var(--soft); font-weight: 600; }
        #connection {
            margin: 0; padding: 0.15rem 0.7rem; border-radius: 1rem; font-size: 0.8rem; color: var(--soft);
            border: 1px solid var(--line); background: var(--card);
        }
        #connection::before { content: "●"; margin-right: 0.4rem; color: var(--soft); }
        #connection[data-state="live"]::before { color: var(--live); }
        #connection[data-state="lost"]::before { color: var(--wrong); }
        main, #board { display: grid; gap: 1rem; }
        #board { grid-template-columns: 3fr 2fr; }
        .card {
            background: var(--card); border: 1px solid var(--line); border-radius: 14px; padding: 1.1rem 1.25rem;
            min-width: 0; box-shadow: 0 1px 2px rgb(16 24 40 / 5%);
        }
        .totals { grid-column: 1 / -1; display: grid; grid-template-columns: repeat(4, 1fr); gap: 1rem; }
        .tile > span { color: var(--soft); font-size: 0.85rem; }
        .tile strong { display: block; font-size: 1.9rem; line-height: 1.2; font-variant-numeric: tabular-nums; }
        .tile small { margin-left: 0.3rem; font-size: 1rem; font-weight: 500; color: var(--soft); }
        svg { display: block; width: 100%; height: auto; }
        svg text { fill: var(--text); font-size: 16px; dominant-baseline: central; }
        svg .label { text-anchor: end; }
        svg .value { fill: var(--soft); font-variant-numeric: tabular-nums; }
        .bar { fill: var(--accent); }
        g:first-of-type .bar { fill: var(--accent-end); }
        ol { list-style: none; margin: 0; padding: 0; }
        li {
            display: grid; grid-template-columns: 1fr auto 10rem; gap: 0.75rem; align-items: baseline;
            padding: 0.42rem 0.5rem; margin: 0 -0.5rem;
        }
        li + li { border-top: 1px solid var(--line); }
        li.fresh { animation: fresh 4s ease-out; }
        @keyframes fresh { from, 25% { background: var(--fresh); } }
        .name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; font-weight: 550; }
        .distance { font-variant-numeric: tabular-nums; }
        time { color: var(--soft); font-size: 0.85rem; text-align: right; white-space: nowrap; }
        a { color: var(--accent); }
        .more { margin: 0.6rem 0 0; font-size: 0.9rem; }
        .empty { margin: 0; color: var(--soft); }
        form { display: grid; grid-template-columns: 2fr 1fr auto; gap: 0 1rem; align-items: end; }
        form h2, #message { grid-column: 1 / -1; }
        label { color: var(--soft); font-size: 0.85rem; }
        input, button { width: 100%; padding: 0.55rem 0.75rem; border-radius: 9px; font: inherit; }
        input { margin-top: 0.25rem; border: 1px solid var(--line); background: var(--page); color: var(--text); }
        input:focus-visible, button:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
        button { border: 1px solid transparent; background: #2f6fed; color: #fff; font-weight: 600; cursor: pointer; }
        #message { margin: 0; color: var(--wrong); font-size: 0.9rem; }
        #message:not(:empty) { margin-top: 0.7rem; }
        #status { margin-left: auto; }
        #status p { margin: 0; }
        #status, noscript { color: var(--soft); font-size: 0.95rem; }
        #status b { color: var(--text); font-variant-numeric: tabular-nums; }
        @media (max-width: 760px) {
            #board { grid-template-columns: 1fr; }
            .totals { grid-template-columns: repeat(2, 1fr); }
            form { grid-template-columns: 1fr; gap: 0.7rem; }
        }
        @media (prefers-reduced-motion: reduce) { li.fresh { animation: none; } }

        """
}
