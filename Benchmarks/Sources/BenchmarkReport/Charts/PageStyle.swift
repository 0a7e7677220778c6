/// The style sheet of the HTML page, with a light and a dark colour scheme.
enum PageStyle {
    static let sheet = """
        :root { color-scheme: light dark; --paper: #ffffff; --ink: #1d2327; --faint: #5c666e; --rule: #d5dadd;
          --vigil: #0a6e5c; --vigil-sqlcipher: #7a4fc0; --grdb: #c2500d; --grdb-tracking: #a88200; --c: #5c666e;
          --kept: #0a6e5c; --missed: #c01f2e; }
        @media (prefers-color-scheme: dark) {
          :root { --paper: #14181b; --ink: #e6eaec; --faint: #a3adb4; --rule: #343c42;
            --vigil: #40c9ad; --vigil-sqlcipher: #b79cf2; --grdb: #ff9457; --grdb-tracking: #e0c14b; --c: #a3adb4;
            --kept: #40c9ad; --missed: #ff7a85; } }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--paper); color: var(--ink);
          font: 16px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
        main { max-width: 60rem; margin: 0 auto; padding: 1rem; }
        h1 { font-size: 1.6rem; line-height: 1.2; }
        h2 { font-size: 1.2rem; margin: 2.5rem 0 .5rem; }
        p { margin: .5rem 0; }
        .note { color: var(--faint); font-size: .875rem; }
        .warning { color: var(--missed); font-weight: 600; }
        .legend { list-style: none; padding: 0; font-size: .875rem; }
        .legend li { margin: .3rem 0; padding-left: 1.4rem; text-indent: -1.4rem; }
        .swatch { display: inline-block; width: .9rem; height: .9rem; border-radius: 3px; margin-right: .5rem;
          vertical-align: -2px; text-indent: 0; }
        .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 1rem; }
        figure { margin: .5rem 0; max-width: 30rem; }
        figcaption { color: var(--faint); font-size: .8125rem; text-align: center; }
        svg { display: block; width: 100%; height: auto; }
        svg text { fill: var(--ink); font-size: 12px; font-family: inherit; }
        svg text.axis { fill: var(--faint); }
        .grid { stroke: var(--rule); stroke-width: 1; }
        .line { fill: none; stroke-width: 2; stroke-linejoin: round; stroke: var(--series); }
        .dot, .bar { fill: var(--series); }
        .swatch { background: var(--series); }
        .vigil { --series: var(--vigil); } .vigil-sqlcipher { --series: var(--vigil-sqlcipher); }
        .grdb { --series: var(--grdb); } .grdb-tracking { --series: var(--grdb-tracking); } .c { --series: var(--c); }
        .line.c { stroke-dasharray: 5 4; }
        .line.vigil { stroke-width: 3; }
        .scroll { overflow-x: auto; }
        table { border-collapse: collapse; font-size: .8125rem; font-variant-numeric: tabular-nums; }
        th, td { padding: .25rem .6rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--rule); }
        th { color: var(--faint); font-weight: 600; }
        th:first-child, td:first-child, td.name { text-align: left; }
        .metric td { color: var(--faint); }
        .keys { display: flex; flex-wrap: wrap; gap: .25rem 1rem; font-size: .8125rem; }
        .kept { color: var(--kept); }
        .missed { color: var(--missed); font-weight: 600; }
        .budgets { width: 100%; }
        .budgets td:first-child { white-space: normal; min-width: 11rem; }
        """
}
