  // Regions and functions in one table, which is filtered and sorted; a row opens its lines, waits and callers.
  let whereTable = null, whereKinds = new Set();

  const KINDS = { region: "regions", function: "functions", outside: "code outside of regions" };

  // Index of the row that filters the stacks; -1: none.
  let filterRow = -1;

  function where() {
    const rows = view.rows;
    offer("where", rows.length > 0 || view.tables.some((table) => table.part === "where"));
    const kinds = [...new Set(rows.map((row) => row.kind))];
    whereKinds = new Set(kinds);
    const place = element("where-kinds");
    place.replaceChildren();
    if (kinds.length > 1) {
      for (const kind of kinds) {
        const label = make("label", undefined, place);
        const box = make("input", undefined, label, { type: "checkbox", checked: true });
        label.append(" " + KINDS[kind]);
        box.addEventListener("change", () => {
          if (box.checked) whereKinds.add(kind); else whereKinds.delete(kind);
          whereRows();
        });
      }
    }
    element("where-tools").hidden = !rows.length;
    barLegend(element("where-legend"), ACTIVITIES.map((_, at) => rows.some((row) => row.parts[at] > 0)));
    element("where-filter").value = "";
    whereRows();
    const tables = element("where-tables");
    tables.replaceChildren();
    view.tables.filter((table) => table.part === "where").forEach((table) => plainTable(make("div", undefined, tables), table));
  }

  function whereRows() {
    const word = element("where-filter").value.trim().toLowerCase();
    const rows = view.rows.filter((row) => whereKinds.has(row.kind)
      && (!word || `${row.name} ${row.place} ${row.file}`.toLowerCase().includes(word)));
    if (!view.rows.length) return element("where").replaceChildren();
    const has = (of) => view.rows.some((row) => of(row) !== null && of(row) !== undefined);
    const longest = Math.max(...view.rows.map((row) => row.ns), 1);
    const name = (row) => {
      const it = make("span", undefined, undefined, { class: "name", title: row.file || row.name });
      make("span", row.name, it, { class: "what" });
      if (row.place) make("span", row.place, it, { class: "place" });
      return it;
    };
    const columns = [
      { head: "name", cell: name, sort: (row) => row.name.toLowerCase(), class: "names" },
      { head: "kind", cell: (row) => row.kind === "outside" ? "" : row.kind, class: "kind" },
      { head: "time by activity", cell: (row) => bar(row.parts, longest), key: (row) => row.ns, class: "bars" },
      { head: "threads' time", cell: (row) => time(row.ns), key: (row) => row.ns },
      { head: "part", cell: (row) => percent(row.ns / (view.total_ns || 1)), key: (row) => row.ns, title: "part of the threads' time" },
    ];
    const optional = [
      ["with calls", "calls_ns", time, "with what it calls"], ["wall time", "wall_ns", time, "from the region's beginning to its end"],
      ["count", "count", count, "how often it began"], ["team", "team", count, "threads of the largest team"],
      ["imbalance", "imbalance", percent, "(max - mean) / max of the team's running time, by instance"],
      ["gain", "gain_ns", time, "wall time that even shares would save"],
    ];
    for (const [head, field, show, title] of optional) {
      if (!has((row) => row[field])) continue;
      const cell = (row) => row[field] === null ? "" : show(row[field]);
      columns.push({ head, cell, key: (row) => row[field] ?? -1, title, hides: field === "team" || field === "count" || field === "calls_ns" });
    }
    whereTable = sortable(element("where"), columns, rows, { open: rowDetails, name: "regions and functions", sorted: 3, most: 25 });
    whereTable.rows = rows;
    if (!rows.length) whereTable = null;
  }

  function revealRow(index) {
    const row = view.rows[index];
    if (!whereTable || !whereTable.rows.includes(row)) {
      element("where-filter").value = "";
      document.querySelectorAll("#where-kinds input").forEach((box) => { box.checked = true; });
      whereKinds = new Set(view.rows.map((row) => row.kind));
      whereRows();
    }
    whereTable.reveal(row);
  }
