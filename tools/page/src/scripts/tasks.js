  // Tasks as a graph: a row for each step from the first tasks on. Creations are dashed, dependences are solid lines.
  const BOX = [132, 34, 20, 40];

  // Row of each node: one below its creator and all that it depends on.
  function levels(graph) {
    const level = graph.nodes.map(() => 0);
    for (let round = 0; round < graph.nodes.length; round++) {
      let changed = false;
      for (const [before, behind] of graph.edges) {
        if (level[behind] <= level[before]) {
          level[behind] = level[before] + 1;
          changed = true;
        }
      }
      if (!changed) break;
    }
    return level;
  }

  function taskName(graph, at) {
    const node = graph.nodes[at];
    const names = (edges, side) => edges.map((edge) => `${edge[side] + 1} (${graph.nodes[edge[side]].name})`).join(", ");
    const creators = graph.edges.filter((edge) => edge[1] === at && !edge[2]);
    const before = graph.edges.filter((edge) => edge[1] === at && edge[2]);
    return `${at + 1}: ${node.name}`
      + (node.is_explicit ? `, ${time(node.length_ns)}, begun at ${time(node.begun_ns)} on thread ${view.timeline.threads[node.thread] || "?"}` : "")
      + (creators.length ? `; created by ${names(creators, 0)}` : "") + (before.length ? `; depends on ${names(before, 0)}` : "");
  }

  function taskGraph() {
    const graph = view.tasks, place = element("tasks"), status = element("tasks-status");
    offer("tasks", Boolean(graph && graph.all));
    place.replaceChildren();
    if (!graph) return;
    status.textContent = graph.nodes.length ? "" : `${graph.all} tasks are too many to draw; \`ora tasks\` sums them up by place.`;
    if (!graph.nodes.length) return;
    const level = levels(graph), rows = [], [width, height, apart, below] = BOX;
    level.forEach((row, at) => (rows[row] = rows[row] || []).push(at));
    const spot = graph.nodes.map((_, at) => [rows[level[at]].indexOf(at) * (width + apart), level[at] * (height + below)]);
    const wide = Math.max(...rows.map((row) => row.length)) * (width + apart), high = rows.length * (height + below);
    const svg = drawn("svg", { width: wide, height: high, role: "group", "aria-label": "Graph of the tasks" }, place);
    for (const [before, behind, isDependence] of graph.edges) {
      const [x, y] = spot[before], [to, end] = spot[behind];
      const from = [x + width / 2, y + height], at = [to + width / 2, end];
      drawn("path", {
        d: `M${from}C${from[0]} ${from[1] + below / 2} ${at[0]} ${at[1] - below / 2} ${at}`, fill: "none", stroke: "currentColor",
        "stroke-dasharray": isDependence ? "" : "4 3", "marker-end": "url(#arrow)",
      }, svg);
    }
    graph.nodes.forEach((node, at) => {
      const [x, y] = spot[at];
      const box = drawn("g", { tabindex: 0, role: "img", "aria-label": shown(taskName(graph, at)), class: "task" }, svg);
      drawn("rect", { x, y, width, height, rx: 4, class: node.is_explicit ? "explicit" : "implicit", stroke: "currentColor" }, box);
      const text = (line, down) => {
        drawn("text", { x: x + width / 2, y: y + down, "text-anchor": "middle" }, box).textContent = shown(line);
      };
      const name = node.is_explicit ? node.name.replace("task at ", "") : `thread ${view.timeline.threads[node.thread] || "?"}`;
      text(`${at + 1} ${name}`.slice(0, 22), 14);
      text(node.is_explicit ? time(node.length_ns) : "implicit task", 28);
      for (const kind of ["focus", "pointerover"]) box.addEventListener(kind, () => { status.textContent = shown(taskName(graph, at)); });
    });
  }
