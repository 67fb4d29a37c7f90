  // The timeline: threads, the span of time that is shown, and what is chosen. Other files draw it and listen to keys.
  let span = { from: 0, to: 1 }, lane = 0, chosen = -1, unpacked = new Map();
  // The interval that the reader has selected; null: none.
  let interval = null;

  function when() {
    // A damaged recording may have no thread.
    if (view.timeline && !view.timeline.threads.length) view.timeline = null;
    const line = view.timeline;
    offer("when", Boolean(line));
    if (!line) return;
    unpacked = new Map();
    [lane, chosen] = [0, -1];
    const all = line.states.reduce((sum, state) => sum + state.ns, 0) || 1;
    const legend = element("legend");
    legend.replaceChildren();
    line.states.forEach((state, at) => {
      if (!state.ns) return;
      const item = make("li", undefined, legend);
      make("span", undefined, item, { class: `swatch state-${at}${state.waits ? " low" : ""}` });
      item.append(` ${state.name} ${percent(state.ns / all)}`);
    });
    const place = element("when-tables");
    place.replaceChildren();
    view.tables.filter((table) => table.part === "when").forEach((table) => plainTable(make("div", undefined, place), table));
    overviewStrip = null;
    everything();
  }

  // States of a thread at a resolution: a digit for the state, letters for how often it is repeated.
  function states(resolution, thread) {
    const key = resolution.buckets + "/" + thread;
    let found = unpacked.get(key);
    if (found) return found;
    found = new Uint8Array(resolution.buckets);
    const text = resolution.threads[thread];
    let at = 0, place = 0;
    while (at < text.length) {
      const state = text.charCodeAt(at++) - 48;
      let more = 0, weight = 1;
      for (; at < text.length && text.charCodeAt(at) >= 97; at++, weight *= 26) more += (text.charCodeAt(at) - 97) * weight;
      found.fill(state, place, place + more + 1);
      place += more + 1;
    }
    unpacked.set(key, found);
    return found;
  }

  function clamp() {
    const length = view.timeline.length_ns, shownNs = Math.min(Math.max(span.to - span.from, 100), length);
    span.from = Math.min(Math.max(span.from, 0), length - shownNs);
    span.to = span.from + shownNs;
  }

  function tell() {
    const line = view.timeline;
    if (chosen < 0) {
      element("status").textContent = `${time(span.from)} to ${time(span.to)}; thread ${shown(line.threads[lane] ?? "")}`;
      return;
    }
    const [thread, begin, length, , name] = line.slices[chosen];
    const wait = waitOf(chosen);
    element("status").textContent = shown(`${line.names[name]}: ${time(length)}, at ${time(begin)}, thread ${line.threads[thread]}`
      + (wait ? `; waited for thread ${line.threads[wait[3]]}` : ""));
  }

  // The wait of a slice with the thread that it was for: [thread, begin, length, thread, moment].
  function waitOf(at) {
    const [thread, begin, length] = view.timeline.slices[at];
    return view.timeline.waits.find((wait) => wait[0] === thread && wait[1] === begin && wait[2] === length);
  }

  function choose(at) {
    if (at < 0) return;
    chosen = at;
    const [thread, begin, length] = view.timeline.slices[at];
    lane = thread;
    const around = Math.max(length * 4, (span.to - span.from) / 4);
    if (begin < span.from || begin + length > span.to || length * 50 < span.to - span.from) {
      span = { from: begin + length / 2 - around / 2, to: begin + length / 2 + around / 2 };
    }
    draw();
    tell();
  }

  function next(fits) {
    const slices = view.timeline.slices;
    for (let step = 1; step <= slices.length; step++) {
      const at = (chosen + step + slices.length) % slices.length;
      if (fits(slices[at])) return choose(at);
    }
    element("status").textContent = "nothing found";
  }

  function search() {
    const word = element("search").value.trim().toLowerCase();
    if (word) next((slice) => view.timeline.names[slice[4]].toLowerCase().includes(word));
  }

  function zoom(factor, at) {
    const middle = at === undefined ? (span.from + span.to) / 2 : at;
    span = { from: middle - (middle - span.from) * factor, to: middle + (span.to - middle) * factor };
    draw();
    tell();
  }

  function move(part) {
    const by = part * (span.to - span.from);
    span = { from: span.from + by, to: span.to + by };
    draw();
    tell();
  }

  function everything() {
    span = { from: 0, to: view.timeline.length_ns };
    chosen = -1;
    draw();
    tell();
    sums();
  }

  // Shows the moment of a table's cell.
  function lookAt({ at, ns, thread }) {
    const around = Math.max(ns, view.timeline.length_ns / 1e6);
    span = { from: at - around, to: at + 2 * around };
    lane = thread;
    chosen = view.timeline.slices.findIndex((slice) => slice[0] === thread && slice[1] === at && slice[2] >= ns);
    draw();
    tell();
    canvas.focus();
    canvas.scrollIntoView({ block: "center" });
  }
