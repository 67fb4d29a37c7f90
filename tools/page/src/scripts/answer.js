  // The answer: what was run, tiles, and the findings with their cost, cure and place.
  function answer() {
    element("title").textContent = shown(data.title);
    element("about").textContent = view.about.map(quantity).join(" · ");
    const tiles = element("tiles");
    tiles.replaceChildren();
    for (const tile of view.tiles) {
      const it = make("div", undefined, tiles, { class: "tile", tabindex: tile.factors.length ? 0 : undefined });
      make("p", tile.label, it, { class: "label" });
      make("p", quantity(tile.value), it, { class: "value" });
      if (tile.note) make("p", tile.note, it, { class: "note" });
      if (tile.of !== null) meter(it, tile.of);
      if (tile.factors.length) {
        const factors = make("dl", undefined, it, { class: "factors" });
        for (const [name, value] of tile.factors) {
          make("dt", name, factors);
          make("dd", quantity(value), factors);
        }
      }
    }
    const place = element("findings");
    place.replaceChildren();
    view.findings.forEach((finding) => oneFinding(place, finding));
    if (!view.findings.length && view.silence) prose(view.silence, "p", place, { class: "silence" });
    const notes = element("notes");
    notes.replaceChildren();
    view.notes.forEach((note) => prose(note, "li", notes));
  }

  function meter(parent, part) {
    const it = make("span", undefined, parent, { class: "meter", role: "img", "aria-label": percent(part) });
    make("span", undefined, it).style.width = 100 * Math.min(Math.max(part, 0), 1) + "%";
  }

  function oneFinding(place, finding) {
    const it = make("li", undefined, place, { class: "finding" });
    const head = make("div", undefined, it, { class: "cost" });
    if (finding.cost > 0) {
      make("span", percent(finding.cost), head, { class: "figure", title: "part of the threads' time that it takes" });
      meter(head, finding.cost);
      make("span", "of the threads' time", head, { class: "hint" });
    }
    const body = make("div", undefined, it);
    prose(finding.what + ".", "p", body, { class: "what" });
    prose(finding.fix + ".", "p", body, { class: "fix" });
    const rest = make("p", undefined, body, { class: "hint" });
    const row = view.rows.findIndex((row) => finding.key && row.key === finding.key);
    if (row >= 0) button(`${view.rows[row].name}${view.rows[row].place ? " at " + view.rows[row].place : ""}`, rest, () => revealRow(row), { class: "link" });
    else if (finding.key) make("span", finding.key, rest);
    if (finding.saves_ns !== null) {
      if (finding.key) rest.append(" · ");
      make("span", `would save ${finding.how_known === "estimated" ? "up to" : "about"} ${time(finding.saves_ns)}, ${percent(finding.saves)} of the wall time (${finding.how_known})`, rest, { class: "saves" });
    }
  }
