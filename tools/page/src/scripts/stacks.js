  // Stacks and their times, as far as they are in the selected interval and belong to the chosen row.
  // The data have for each sampled stack its node, the row of its region, and pairs of a distance in pieces of time and microseconds.
  let stackTimes = null;

  function stacks() {
    offer("stacks", Boolean(view.stacks && view.stacks.nodes.length));
    [root, focused] = [-1, -1];
    stacksChanged();
  }

  function stacksChanged() {
    if (!view.stacks || !view.stacks.nodes.length) return;
    stackTimes = timesOfStacks(interval, filterRow);
    const place = element("stack-filters");
    place.replaceChildren();
    if (interval && view.timeline) button(`${time(interval.from)} to ${time(interval.to)} \u00d7`, place, () => select(null), { "aria-label": "show the whole run" });
    if (filterRow >= 0) button(`${view.rows[filterRow].name} \u00d7`, place, () => { filterRow = -1; stacksChanged(); }, { "aria-label": "show all rows" });
    if (root >= 0 && !stackTimes[root]) root = -1;
    flame();
  }

  // For each node whether it or a caller of it is a function of the row.
  function inFunction(row) {
    const { nodes, names } = view.stacks, is = new Uint8Array(nodes.length);
    nodes.forEach(([parent, name], at) => { is[at] = names[name][1] === row || (parent >= 0 && is[parent]) ? 1 : 0; });
    return is;
  }

  // Nanoseconds of each node with what it calls.
  function timesOfStacks(interval, row) {
    const { nodes, samples, pieces } = view.stacks, all = new Float64Array(nodes.length);
    const piece = view.timeline ? view.timeline.length_ns / pieces : 0;
    const within = (at) => !interval ? 1 : Math.max(Math.min((at + 1) * piece, interval.to) - Math.max(at * piece, interval.from), 0) / piece;
    const isRegion = row >= 0 && view.rows[row].kind === "region", fits = row >= 0 && !isRegion ? inFunction(row) : null;
    for (const [node, region, times] of samples) {
      if (isRegion ? region !== row : fits && !fits[node]) continue;
      let at = 0;
      for (let place = 0; place < times.length; place += 2) {
        at += times[place];
        all[node] += 1000 * times[place + 1] * within(at);
      }
    }
    for (let at = nodes.length - 1; at >= 0; at--) if (nodes[at][0] >= 0) all[nodes[at][0]] += all[at];
    return all;
  }

  // The callers of a function, or the functions that run in a region, with their times; the most expensive first.
  function callers(row) {
    const { nodes, names } = view.stacks, found = new Map();
    const add = (name, ns) => found.set(name, (found.get(name) || 0) + ns);
    const times = timesOfStacks(null, row), isRegion = view.rows[row].kind === "region";
    const own = new Float64Array(times);
    nodes.forEach(([parent], at) => { if (parent >= 0) own[parent] -= times[at]; });
    nodes.forEach(([parent, name], at) => {
      if (isRegion) { if (own[at] > 0.5) add(names[name][0], own[at]); return; }
      if (names[name][1] !== row || (parent >= 0 && names[nodes[parent][1]][1] === row)) return;
      if (times[at] > 0) add(parent < 0 ? "(the thread's beginning)" : names[nodes[parent][1]][0], times[at]);
    });
    return [...found].sort((a, b) => b[1] - a[1]);
  }
