  // Okabe and Ito's colours, which people with any colour vision can tell apart.
  const COLOURS = ["#e8e8e8", "#999999", "#009e73", "#56b4e9", "#d55e00", "#e69f00", "#cc79a7", "#f0e442"];
  const LANE = 26, AXIS = 20, LEFT = 84;
  const data = JSON.parse(document.getElementById("data").textContent);
  const element = (id) => document.getElementById(id);
  const canvas = element("timeline"), status = element("status");
  let run, view, lane = 0, chosen = -1, unpacked = new Map();

  const time = (ns) => ns >= 1e9 ? (ns / 1e9).toFixed(3) + " s" : ns >= 1e6 ? (ns / 1e6).toFixed(3) + " ms"
    : ns >= 1e3 ? (ns / 1e3).toFixed(3) + " us" : Math.round(ns) + " ns";
  const percent = (part) => (100 * part).toFixed(1) + " %";
  const make = (name, text, parent) => {
    const it = document.createElement(name);
    if (text !== undefined) it.textContent = text;
    if (parent) parent.append(it);
    return it;
  };

  function table(place, heads, rows, numbers) {
    place.replaceChildren();
    if (!rows.length) return make("p", "none", place);
    const it = make("table", undefined, place);
    const head = make("tr", undefined, make("thead", undefined, it));
    heads.forEach((name, at) => {
      const cell = make("th", name, head);
      cell.scope = "col";
      if (numbers.includes(at)) cell.className = "number";
    });
    const body = make("tbody", undefined, it);
    for (const row of rows) {
      const line = make("tr", undefined, body);
      row.forEach((cell, at) => {
        const it = make("td", cell instanceof Node ? undefined : cell, line);
        if (cell instanceof Node) it.append(cell);
        if (numbers.includes(at)) it.className = "number";
      });
    }
  }

  // States of a thread at a resolution: a digit for the state, letters for how often it stands again.
  function states(resolution, thread) {
    const key = resolution.buckets + "/" + thread;
    let found = unpacked.get(key);
    if (!found) {
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
    }
    return found;
  }

  function clamp() {
    const length = Math.min(Math.max(view.to - view.from, 100), run.length_ns);
    view.from = Math.min(Math.max(view.from, 0), run.length_ns - length);
    view.to = view.from + length;
  }

  function draw() {
    clamp();
    const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = AXIS + LANE * run.threads.length;
    canvas.style.height = height + "px";
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const style = getComputedStyle(document.body);
    const ink = style.color, paper = style.backgroundColor;
    const room = Math.max(width - LEFT, 1), scale = room / (view.to - view.from), x = (ns) => LEFT + (ns - view.from) * scale;
    pen.font = "12px system-ui, sans-serif";
    pen.textBaseline = "middle";
    // As many buckets as there are pixels, if such a resolution is there.
    const wanted = room * run.length_ns / (view.to - view.from);
    const resolution = run.resolutions.find((one) => one.buckets >= wanted) || run.resolutions[run.resolutions.length - 1];
    const bucket = run.length_ns / resolution.buckets;
    run.threads.forEach((name, thread) => {
      const top = AXIS + thread * LANE;
      const all = states(resolution, thread);
      const last = Math.min(Math.ceil(view.to / bucket), resolution.buckets);
      for (let at = Math.max(Math.floor(view.from / bucket), 0); at < last;) {
        let end = at + 1;
        while (end < last && all[end] === all[at]) end++;
        pen.fillStyle = COLOURS[all[at]];
        const left = Math.max(x(at * bucket), LEFT);
        pen.fillRect(left, top + 2, Math.max(x(end * bucket) - left, 1), LANE - 4);
        at = end;
      }
      pen.fillStyle = ink;
      pen.fillText((thread === lane ? "> " : "") + name, 4, top + LANE / 2, LEFT - 8);
    });
    const word = element("search").value.trim().toLowerCase();
    for (let at = 0; at < run.slices.length; at++) {
      const [thread, begin, length, , name] = run.slices[at];
      if (begin > view.to || begin + length < view.from) continue;
      const left = Math.max(x(begin), LEFT), right = Math.min(x(begin + length), width), top = AXIS + thread * LANE;
      const found = word && run.names[name].toLowerCase().includes(word);
      if (found || at === chosen) {
        pen.strokeStyle = ink;
        pen.lineWidth = at === chosen ? 3 : 1.5;
        pen.strokeRect(left, top + 2, Math.max(right - left, 2), LANE - 4);
      }
      if (right - left > 60 && innermost(at)) {
        pen.fillStyle = "#000";
        pen.fillText(run.names[name], left + 3, top + LANE / 2, right - left - 6);
      }
    }
    pen.fillStyle = ink;
    for (let part = 0; part <= 4; part++) {
      const ns = view.from + part / 4 * (view.to - view.from);
      pen.textAlign = part === 4 ? "right" : part ? "center" : "left";
      pen.fillText(time(ns), x(ns), AXIS / 2);
    }
    pen.textAlign = "left";
    pen.fillStyle = paper;
    canvas.dataset.drawn = Number(canvas.dataset.drawn || 0) + 1;
  }

  // True for a named slice without another one inside of it.
  const innermost = (at) => {
    const next = run.slices[at + 1];
    return !next || next[0] !== run.slices[at][0] || next[3] <= run.slices[at][3];
  };

  function tell() {
    if (chosen < 0) {
      status.textContent = `${time(view.from)} to ${time(view.to)}; thread ${run.threads[lane]}`;
      return;
    }
    const [thread, begin, length, , name] = run.slices[chosen];
    status.textContent = `${run.names[name]}: ${time(length)}, at ${time(begin)}, thread ${run.threads[thread]}`;
  }

  function choose(at) {
    if (at < 0) return;
    chosen = at;
    const [thread, begin, length] = run.slices[at];
    lane = thread;
    const around = Math.max(length * 4, (view.to - view.from) / 4);
    if (begin < view.from || begin + length > view.to || length * 50 < view.to - view.from) {
      view = { from: begin + length / 2 - around / 2, to: begin + length / 2 + around / 2 };
    }
    draw();
    tell();
  }

  function next(fits) {
    for (let step = 1; step <= run.slices.length; step++) {
      const at = (chosen + step + run.slices.length) % run.slices.length;
      if (fits(run.slices[at])) return choose(at);
    }
    status.textContent = "nothing found";
  }

  function search() {
    const word = element("search").value.trim().toLowerCase();
    if (word) next((slice) => run.names[slice[4]].toLowerCase().includes(word));
  }

  function zoom(factor, at) {
    const middle = at === undefined ? (view.from + view.to) / 2 : at;
    view = { from: middle - (middle - view.from) * factor, to: middle + (view.to - middle) * factor };
    draw();
    tell();
  }

  function move(part) {
    const by = part * (view.to - view.from);
    view = { from: view.from + by, to: view.to + by };
    draw();
    tell();
  }

  function everything() {
    view = { from: 0, to: run.length_ns };
    chosen = -1;
    draw();
    tell();
  }

  function summary() {
    const place = element("summary");
    place.replaceChildren();
    make("p", `${time(run.length_ns)}; ` + run.facts.map(([name, value]) => `${name} ${value}`).join("; "), place);
    const all = run.states.reduce((sum, state) => sum + state.ns, 0) || 1;
    const bar = make("div", undefined, place);
    bar.className = "bar";
    bar.setAttribute("role", "img");
    bar.setAttribute("aria-label", run.states.map((state) => `${state.name} ${percent(state.ns / all)}`).join(", "));
    run.states.forEach((state, at) => {
      const part = make("div", undefined, bar);
      part.style.width = percent(state.ns / all).replace(" ", "");
      part.style.background = COLOURS[at];
      part.title = state.name;
    });
    if (run.findings.length) {
      make("p", "What to change, what saves the most first:", place);
      const list = make("ol", undefined, place);
      list.className = "findings";
      run.findings.forEach((one) => make("li", one, list));
    }
    if (run.dearest.length) {
      make("p", "The most expensive waits:", place);
      const list = make("ol", undefined, place);
      list.className = "findings";
      for (const one of run.dearest) {
        make("li", `${one.wait}: ${time(one.idle_ns)} in ${one.count} waits, ${percent(one.part)} of the threads' time. `
          + `Without it the run could be ${time(one.saves_ns)} shorter.`, list);
      }
    }
    const legend = element("legend");
    legend.replaceChildren();
    run.states.forEach((state, at) => {
      const line = make("li", undefined, legend);
      make("span", undefined, line).style.background = COLOURS[at];
      line.append(` ${state.name} ${percent(state.ns / all)}`);
    });
  }

  function show(number) {
    run = data.processes[number];
    unpacked = new Map();
    lane = 0;
    element("title").textContent = `Trace of ${run.name}`;
    summary();
    for (const [part, rows] of [["waits-part", run.waits], ["regions-part", run.regions]]) element(part).hidden = !rows.length && !run.counts.length;
    table(element("waits"), ["waited", "at", "thread", "wait", "for"], run.waits.map((wait) => {
      const at = make("button", time(wait.at_ns));
      at.type = "button";
      at.className = "at";
      at.addEventListener("click", () => {
        view = { from: wait.at_ns - wait.ns, to: wait.at_ns + 2 * wait.ns };
        [chosen, lane] = [-1, wait.thread];
        draw();
        tell();
        canvas.focus();
      });
      return [time(wait.ns), at, run.threads[wait.thread], wait.wait, wait.cause];
    }), [0, 1]);
    table(element("regions"), ["count", "total", "longest", "threads", "region"], run.regions.map((region) =>
      [String(region.count), time(region.total_ns), time(region.longest_ns), String(region.team), region.place]), [0, 1, 2, 3]);
    root = -1;
    flame();
    lines();
    taskGraph();
    table(element("counts"), ["count", "of"], run.counts.map(([name, count]) => [String(count), name]), [0]);
    everything();
  }

  canvas.addEventListener("keydown", (event) => {
    const keys = {
      ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2), "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2),
      Home: everything, Enter: () => next((slice) => slice[0] === lane),
      ArrowUp: () => { lane = Math.max(lane - 1, 0); chosen = -1; draw(); tell(); },
      ArrowDown: () => { lane = Math.min(lane + 1, run.threads.length - 1); chosen = -1; draw(); tell(); },
    };
    if (!keys[event.key] || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  const moment = (event) => {
    const box = canvas.getBoundingClientRect();
    return view.from + (event.clientX - box.left - LEFT) / Math.max(box.width - LEFT, 1) * (view.to - view.from);
  };
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(event.deltaY < 0 ? 0.8 : 1.25, moment(event));
  }, { passive: false });
  let dragged = null;
  canvas.addEventListener("pointerdown", (event) => {
    dragged = { at: moment(event), moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!dragged) return;
    const by = dragged.at - moment(event);
    if (by) dragged.moved = true;
    view = { from: view.from + by, to: view.to + by };
    draw();
  });
  canvas.addEventListener("pointerup", (event) => {
    const was = dragged;
    dragged = null;
    if (!was || was.moved) return tell();
    const at = moment(event), thread = Math.floor((event.clientY - canvas.getBoundingClientRect().top - AXIS) / LANE);
    if (thread >= 0 && thread < run.threads.length) lane = thread;
    chosen = -1;
    run.slices.forEach((slice, number) => {
      if (slice[0] === lane && slice[1] <= at && at <= slice[1] + slice[2]) chosen = number;
    });
    draw();
    tell();
  });
  element("search").addEventListener("input", () => draw());
  element("search").addEventListener("keydown", (event) => { if (event.key === "Enter") search(); });
  element("next").addEventListener("click", search);
  element("in").addEventListener("click", () => zoom(0.5));
  element("out").addEventListener("click", () => zoom(2));
  element("all").addEventListener("click", everything);
  element("process").addEventListener("change", (event) => show(Number(event.target.value)));
  window.addEventListener("resize", () => draw());
  flameEvents();
  if (data.processes.length > 1) {
    element("choice").hidden = false;
    data.processes.forEach((process, number) => { make("option", process.name, element("process")).value = number; });
  }
  show(0);
  document.documentElement.dataset.ready = "1";
