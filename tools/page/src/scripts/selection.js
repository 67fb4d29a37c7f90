  // The selected interval of the timeline: its sums by state and by name, and the stacks in it.
  function select(wanted) {
    interval = wanted && wanted.to > wanted.from ? wanted : null;
    draw();
    tell();
    sums();
    stacksChanged();
  }

  // Time in each state within the interval, by the finest resolution.
  function stateSums({ from, to }) {
    const line = view.timeline, resolution = line.resolutions[line.resolutions.length - 1], bucket = line.length_ns / resolution.buckets;
    const all = new Float64Array(STATE_COUNT), first = Math.floor(from / bucket), last = Math.min(Math.ceil(to / bucket), resolution.buckets);
    for (let thread = 0; thread < line.threads.length; thread++) {
      const found = states(resolution, thread);
      for (let at = first; at < last; at++) all[found[at]] += Math.min((at + 1) * bucket, to) - Math.max(at * bucket, from);
    }
    return all;
  }

  function sums() {
    const place = element("selection");
    place.replaceChildren();
    place.hidden = !interval;
    if (!interval) return;
    const line = view.timeline, { from, to } = interval;
    const head = make("p", `Selected: ${time(from)} to ${time(to)}, ${time(to - from)} `, place);
    button("zoom to it", head, () => { span = { ...interval }; draw(); tell(); });
    button("clear", head, () => select(null));
    const found = stateSums(interval), all = found.reduce((sum, ns) => sum + ns, 0) || 1;
    const rows = line.states.map((state, at) => [state.name, found[at]]).filter(([, ns]) => ns > 0);
    const columns = [
      { head: "state", cell: ([name]) => name }, { head: "threads' time", cell: ([, ns]) => time(ns), key: ([, ns]) => ns },
      { head: "part", cell: ([, ns]) => percent(ns / all), key: ([, ns]) => ns },
    ];
    const tables = make("div", undefined, place, { class: "pair" });
    sortable(make("div", undefined, tables), columns, rows, { name: "time by state in the selection", sorted: 1 });
    const names = new Map();
    for (const [, begin, length, , name] of line.slices) {
      const within = Math.min(begin + length, to) - Math.max(begin, from);
      if (within <= 0) continue;
      const sum = names.get(name) || [0, 0];
      names.set(name, [sum[0] + within, sum[1] + 1]);
    }
    const slices = [...names].map(([name, [ns, number]]) => [line.names[name], ns, number]);
    if (!slices.length) return;
    sortable(make("div", undefined, tables), [
      { head: "slices, the longest of the run", cell: ([name]) => name }, { head: "time", cell: ([, ns]) => time(ns), key: ([, ns]) => ns },
      { head: "count", cell: ([, , number]) => count(number), key: ([, , number]) => number },
    ], slices, { name: "slices in the selection", sorted: 1, most: 8 });
  }
