  // Tables that are sorted by a click on a head, or by Enter on it. A column has `head`, `cell(row)`, and, where it is one of numbers,
  // `key(row)`; `sort(row)` is for cells that are elements. A row may open.
  function sortable(place, columns, rows, options) {
    const { open, most = 40, name, sorted = -1, isOpen } = options || {};
    place.replaceChildren();
    if (!rows.length) return make("p", "none", place, { class: "hint" });
    const table = make("table", undefined, make("div", undefined, place, { class: "scroll" }), { "aria-label": name });
    const head = make("tr", undefined, make("thead", undefined, table));
    const body = make("tbody", undefined, table);
    let by = sorted, down = true, limit = most, order = rows;
    const key = (column) => column.sort || column.key || column.cell;
    const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    const classes = (column) => [column.key && !column.class ? "number" : column.class, column.hides ? "hides" : ""].join(" ").trim() || undefined;
    columns.forEach((column, at) => {
      const cell = make("th", undefined, head, { scope: "col", class: classes(column), title: column.title });
      button(column.head, cell, () => {
        down = by === at ? !down : Boolean(column.key);
        by = at;
        fill();
      });
    });
    const more = button("", place, () => { limit = Infinity; fill(); }, { class: "more" });

    function line(row) {
      const it = make("tr", undefined, body);
      columns.forEach((column, at) => {
        const content = column.cell(row);
        const cell = make("td", undefined, it, { class: classes(column) });
        if (open && at === 0) {
          const opener = button(content, cell, () => toggle(), { class: "opener", "aria-expanded": "false" });
          const toggle = (wanted) => {
            const is = opener.getAttribute("aria-expanded") === "true";
            if (wanted === is) return;
            opener.setAttribute("aria-expanded", String(!is));
            if (is) it.nextElementSibling.remove();
            else {
              const inside = make("td", open(row), make("tr", undefined, undefined, { class: "opened" }), { colspan: columns.length });
              it.after(inside.parentElement);
            }
          };
          it.openRow = toggle;
        } else if (content instanceof Node) cell.append(content);
        else cell.textContent = shown(content);
      });
      it.dataset.row = rows.indexOf(row);
      if (isOpen && isOpen(row)) it.openRow(true);
      return it;
    }

    function fill() {
      if (by >= 0) {
        const of = key(columns[by]);
        order = [...rows].sort((a, b) => (down ? -1 : 1) * compare(of(a), of(b)));
      }
      [...head.children].forEach((cell, at) => {
        cell.setAttribute("aria-sort", at !== by ? "none" : down ? "descending" : "ascending");
      });
      body.replaceChildren();
      order.slice(0, limit).forEach(line);
      more.hidden = order.length <= limit;
      more.textContent = `show all ${count(order.length)}`;
    }
    fill();
    return { table, reveal: (row) => {
      let it = body.querySelector(`[data-row="${rows.indexOf(row)}"]`);
      if (!it) { limit = Infinity; fill(); it = body.querySelector(`[data-row="${rows.indexOf(row)}"]`); }
      if (!it) return;
      if (it.openRow) it.openRow(true);
      it.scrollIntoView({ block: "center" });
      it.querySelector("button").focus();
    } };
  }

  // A table of the data: heads, and cells that are quantities, texts, bars or moments.
  function plainTable(place, table) {
    make("h3", table.title, place);
    if (table.note) make("p", table.note, place, { class: "hint" });
    const whole = Math.max(...table.rows.map((row) => Math.max(0, ...row.map((cell) => cell && cell.bar ? cell.bar.reduce((a, b) => a + b, 0) : 0))));
    const show = (cell) => {
      if (!cell || typeof cell !== "object") return cell;
      if (cell.bar) return bar(cell.bar, whole);
      if ("at" in cell) return button(time(cell.at), undefined, () => lookAt(cell), { class: "link" });
      return quantity(cell);
    };
    const columns = table.heads.map((head, at) => {
      const isNumber = table.rows.some((row) => row[at] && typeof row[at] === "object" && !row[at].bar);
      const isBar = table.rows.some((row) => row[at] && row[at].bar);
      const key = isBar ? (row) => row[at].bar.reduce((a, b) => a + b, 0) : (row) => magnitude(row[at]);
      const isShort = table.rows.every((row) => String(row[at]).length <= 14);
      return { head, cell: (row) => show(row[at]), key: isNumber || isBar ? key : undefined, class: isBar ? "bars" : isNumber ? undefined : isShort ? "short" : undefined };
    });
    sortable(make("div", undefined, place), columns, table.rows, { name: table.title, most: 10 });
  }
