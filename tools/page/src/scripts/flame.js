  // The flame graph: boxes as wide as their time. What is called is below its caller.
  const ROW = 20;
  let root = -1, focused = -1;

  const stackName = (at) => view.stacks.names[view.stacks.nodes[at][1]][0];

  function flameColour(name) {
    if (name.startsWith("<OMP-")) return "waits";
    let sum = 0;
    for (const letter of name) sum = (sum * 31 + letter.codePointAt(0)) % 997;
    return `hsl(${20 + sum % 35} 85% ${66 + sum % 14}%)`;
  }

  // Left edge, width (both as parts of the whole) and depth of each box.
  function flamePlaces() {
    const places = new Map(), used = new Map(), { nodes } = view.stacks;
    const whole = root >= 0 ? stackTimes[root] : nodes.reduce((sum, [parent], at) => sum + (parent < 0 ? stackTimes[at] : 0), 0);
    nodes.forEach(([parent], at) => {
      if (!stackTimes[at]) return;
      if (at === root) return places.set(at, [0, 1, 0]);
      if (parent < 0 && root >= 0) return undefined;
      const below = parent < 0 ? [0, 1, -1] : places.get(parent);
      if (!below) return undefined;
      const left = used.get(parent) ?? below[0], width = stackTimes[at] / (whole || 1);
      used.set(parent, left + width);
      return places.set(at, [left, width, below[2] + 1]);
    });
    return places;
  }

  function flameName(at) {
    return `${stackName(at)}: ${time(stackTimes[at])}, ${percent(stackTimes[at] / (view.total_ns || 1))} of the threads' time`;
  }

  function flame() {
    const place = element("flame"), places = flamePlaces();
    const word = element("flame-search").value.trim().toLowerCase();
    const boxes = [...places].filter(([, [, width]]) => width > 0.001);
    if (!places.has(focused)) focused = boxes.length ? boxes[0][0] : -1;
    place.replaceChildren();
    place.style.height = ROW * (1 + Math.max(0, ...boxes.map(([, [, , depth]]) => depth))) + "px";
    for (const [at, [left, width, depth]] of boxes) {
      const name = stackName(at), colour = flameColour(name);
      const isFound = word && name.toLowerCase().includes(word);
      const kind = isFound ? "found" : colour === "waits" ? "waits" : undefined;
      const it = make("button", width > 0.015 ? name : "", place, { type: "button", class: kind, "aria-label": flameName(at), title: flameName(at) });
      it.dataset.at = at;
      it.tabIndex = at === focused ? 0 : -1;
      Object.assign(it.style, { left: 100 * left + "%", width: 100 * width + "%", top: ROW * depth + "px" });
      if (!kind) it.style.background = colour;
    }
    element("flame-status").textContent = focused < 0 ? "no stack" : shown(flameName(focused));
  }

  // The box that a key leads to: the caller, what is called the most, or one beside it.
  function flameNext(key) {
    const { nodes } = view.stacks, places = flamePlaces();
    const children = (parent) => nodes.map((node, at) => [node, at]).filter(([node, at]) => node[0] === parent && places.has(at)).map(([, at]) => at);
    const parent = nodes[focused][0];
    if (key === "ArrowUp") return places.has(parent) ? parent : focused;
    if (key === "ArrowDown") return children(focused).reduce((most, at) => most < 0 || stackTimes[at] > stackTimes[most] ? at : most, -1);
    const beside = children(parent);
    return beside[beside.indexOf(focused) + (key === "ArrowRight" ? 1 : -1)] ?? focused;
  }

  function flameFocus(at) {
    if (at < 0) return;
    focused = at;
    flame();
    const it = element("flame").querySelector(`[data-at="${at}"]`);
    if (it) it.focus();
  }

  function flameZoom(at) {
    root = at;
    if (at >= 0) focused = at;
    flame();
    if (at >= 0) flameFocus(at);
  }

  function flameEvents() {
    const place = element("flame");
    place.addEventListener("click", (event) => {
      const at = event.target.dataset.at;
      if (at !== undefined) flameZoom(Number(at));
    });
    place.addEventListener("pointerover", (event) => {
      const at = event.target.dataset.at;
      if (at !== undefined) element("flame-status").textContent = shown(flameName(Number(at)));
    });
    place.addEventListener("keydown", (event) => {
      if (["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"].includes(event.key)) flameFocus(flameNext(event.key));
      else if (event.key === "Home" || event.key === "Escape") flameZoom(-1);
      else return;
      event.preventDefault();
    });
    element("flame-search").addEventListener("input", () => flame());
    element("flame-all").addEventListener("click", () => flameZoom(-1));
  }
