  // Lines of the source, each with a strip: what part of the threads worked (green) and waited (orange) there, from the begin
  // of the run to its end.
  const STRIP = [240, 18];

  function drawn(name, attributes, parent) {
    const it = document.createElementNS(element("drawing").namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) it.setAttribute(key, value);
    if (parent) parent.append(it);
    return it;
  }

  function strip(line) {
    const pieces = line.strip.length / 2, [width, height] = STRIP;
    const it = drawn("svg", { width, height, viewBox: `0 0 ${pieces} 9`, preserveAspectRatio: "none", role: "img" });
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
    drawn("path", { d: paths[0], fill: COLOURS[2] }, it);
    drawn("path", { d: paths[1], fill: COLOURS[4] }, it);
    const at = (piece) => time(piece / pieces * run.length_ns);
    it.setAttribute("aria-label", first < 0 ? "no activity" : `active from ${at(first)} to ${at(last + 1)}`);
    return it;
  }

  function lines() {
    element("lines-part").hidden = !run.lines.length;
    const whole = run.flame.total_ns || 1;
    table(element("lines"), ["with calls", "own", "over time", "line", "source"], run.lines.map((line) => {
      const code = make("code", line.text === null ? "" : line.text);
      const place = make("span", `${line.file.split("/").pop()}:${line.line}`);
      place.title = line.file;
      return [percent(line.all_ns / whole), percent(line.own_ns / whole), strip(line), place, code];
    }), [0, 1]);
  }
