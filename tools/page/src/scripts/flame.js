  // The flame graph: rectangles as wide as their time. What is called is below its caller, the programs begin at the top.
  const ROW = 20;
  let root = -1, focused = -1;

  function flameColour(name) {
    if (name.startsWith("<OMP-")) return "#56b4e9";
    let sum = 0;
    for (const letter of name) sum = (sum * 31 + letter.codePointAt(0)) % 997;
    return `hsl(${20 + sum % 35} 85% ${62 + sum % 12}%)`;
  }

  // Left edge, width (both as parts of the whole) and depth of each stack below `root`.
  function flamePlaces(flame) {
    const places = new Map(), used = new Map();
    const whole = root < 0 ? flame.total_ns : flame.stacks[root][2];
    flame.stacks.forEach(([parent, , ns], at) => {
      if (at === root) return places.set(at, [0, 1, 0]);
      if (parent === root && root < 0) {
        const left = used.get(-1) || 0;
        used.set(-1, left + ns / whole);
        return places.set(at, [left, ns / whole, 0]);
      }
      const below = places.get(parent);
      if (!below) return;
      const left = used.get(parent) || below[0];
      used.set(parent, left + ns / whole);
      places.set(at, [left, ns / whole, below[2] + 1]);
    });
    return places;
  }

  function flameName(flame, at) {
    const [, name, ns] = flame.stacks[at];
    return `${flame.names[name]}: ${time(ns)}, ${percent(ns / flame.total_ns)} of the threads' time`;
  }

  function flame() {
    const place = element("flame"), flame = run.flame;
    element("flame-part").hidden = !flame.stacks.length;
    if (!flame.stacks.length) return;
    const word = element("flame-search").value.trim().toLowerCase();
    const places = flamePlaces(flame);
    const shown = [...places].filter(([, [, width]]) => width > 0.001);
    if (!places.has(focused)) focused = shown.length ? shown[0][0] : -1;
    place.replaceChildren();
    place.style.height = ROW * (1 + Math.max(...shown.map(([, [, , depth]]) => depth))) + "px";
    let found = 0;
    for (const [at, [left, width, depth]] of shown) {
      const name = flame.names[flame.stacks[at][1]];
      const it = make("button", width > 0.02 ? name : "", place);
      it.type = "button";
      it.dataset.at = at;
      it.tabIndex = at === focused ? 0 : -1;
      it.setAttribute("aria-label", flameName(flame, at));
      it.title = flameName(flame, at);
      const isFound = word && name.toLowerCase().includes(word);
      if (isFound) found += flame.stacks[at][2];
      Object.assign(it.style, { left: 100 * left + "%", width: 100 * width + "%", top: ROW * depth + "px" });
      it.style.background = isFound ? "#cc79a7" : flameColour(name);
    }
    element("flame-status").textContent = focused < 0 ? "" : flameName(flame, focused);
  }

  // The stack that a key leads to: its caller, what it calls the most, or one beside it.
  function flameNext(key) {
    const stacks = run.flame.stacks, places = flamePlaces(run.flame);
    const children = (parent) => stacks.map((stack, at) => [stack, at]).filter(([stack, at]) => stack[0] === parent && places.has(at))
      .map(([, at]) => at);
    const parent = stacks[focused][0], beside = children(parent), index = beside.indexOf(focused);
    if (key === "ArrowUp") return places.has(parent) ? parent : focused;
    if (key === "ArrowDown") {
      return children(focused).reduce((most, at) => most < 0 || stacks[at][2] > stacks[most][2] ? at : most, -1);
    }
    const next = beside[index + (key === "ArrowRight" ? 1 : -1)];
    return next === undefined ? focused : next;
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
      if (at !== undefined) element("flame-status").textContent = flameName(run.flame, Number(at));
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
