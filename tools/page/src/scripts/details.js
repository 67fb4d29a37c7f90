  // Content of an opened row: its source lines with a strip over time, its waits, its callers, and its stacks.
  const STRIP = [240, 18];

  function rowDetails(row) {
    const it = make("div", undefined, undefined, { class: "details" });
    const index = view.rows.indexOf(row);
    if (view.stacks && row.kind !== "outside") {
      const tools = make("p", undefined, it);
      button("show only its stacks", tools, () => {
        filterRow = index;
        stacksChanged();
        element("stacks-part").scrollIntoView();
      });
    }
    rowLines(it, row);
    rowWaits(it, row);
    rowCallers(it, row, index);
    if (!it.childElementCount) make("p", "no more is known of it", it, { class: "hint" });
    return it;
  }

  function rowLines(place, row) {
    if (!row.lines.length) return;
    const part = make("div", undefined, place);
    make("h4", "Lines", part);
    const hasStrips = row.lines.some(([at]) => view.lines[at].strip);
    const columns = [
      { head: "own", cell: ([, own]) => time(own), key: ([, own]) => own, title: "the row's time in the line itself" },
      { head: "with calls", cell: ([at]) => time(view.lines[at].all_ns), key: ([at]) => view.lines[at].all_ns },
      { head: "line", cell: ([at]) => make("span", `${short(view.lines[at].file)}:${view.lines[at].line}`, undefined, { title: view.lines[at].file }) },
      { head: "source", cell: ([at]) => make("code", view.lines[at].text ?? ""), class: "source" },
    ];
    if (hasStrips) columns.splice(2, 0, { head: "over time", cell: ([at]) => strip(view.lines[at]) });
    sortable(make("div", undefined, part), columns, row.lines, { name: `lines of ${row.name}`, most: 15 });
  }

  const short = (path) => path.split("/").pop();

  // The part of the threads that worked (dark, from below) and waited (light, above it) there, from the beginning of the run to its end.
  function strip(line) {
    const pieces = line.strip.length / 2, [width, height] = STRIP;
    const it = drawn("svg", { width, height, viewBox: `0 0 ${pieces} 9`, preserveAspectRatio: "none", role: "img", class: "strip" });
    let first = -1, last = -1;
    const paths = ["", ""];
    for (let at = 0; at < pieces; at++) {
      const work = Number(line.strip[2 * at]), wait = Math.min(Number(line.strip[2 * at + 1]), 9 - work);
      if (!work && !wait) continue;
      if (first < 0) first = at;
      last = at;
      if (work) paths[0] += `M${at} 9h1v${-work}h-1z`;
      if (wait) paths[1] += `M${at} ${9 - work}h1v${-wait}h-1z`;
    }
    drawn("path", { d: paths[0], class: "strip-work" }, it);
    drawn("path", { d: paths[1], class: "strip-wait" }, it);
    const at = (piece) => view.timeline ? time(piece / pieces * view.timeline.length_ns) : percent(piece / pieces);
    it.setAttribute("aria-label", first < 0 ? "no activity" : `active from ${at(first)} to ${at(last + 1)}`);
    return it;
  }

  function rowWaits(place, row) {
    if (!row.waits.length) return;
    const part = make("div", undefined, place);
    make("h4", "Waits", part);
    const columns = [
      { head: "time", cell: (wait) => time(wait.ns), key: (wait) => wait.ns },
      { head: "part", cell: (wait) => percent(wait.ns / (row.ns || 1)), key: (wait) => wait.ns },
      { head: "for", cell: (wait) => wait.name },
    ];
    if (row.waits.some((wait) => wait.count)) columns.splice(2, 0, { head: "waits", cell: (wait) => wait.count ? count(wait.count) : "", key: (wait) => wait.count });
    sortable(make("div", undefined, part), columns, row.waits, { name: `waits of ${row.name}`, most: 8 });
  }

  function rowCallers(place, row, index) {
    const found = view.stacks ? callers(index) : [];
    if (!found.length) return;
    const part = make("div", undefined, place);
    make("h4", row.kind === "region" ? "Functions in it" : "Callers", part);
    const columns = [
      { head: "time", cell: ([, ns]) => time(ns), key: ([, ns]) => ns },
      { head: "function", cell: ([name]) => name },
    ];
    sortable(make("div", undefined, part), columns, found, { name: `callers of ${row.name}`, most: 8 });
  }
