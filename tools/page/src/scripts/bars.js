  // Bars of time, split by activity. Each activity has a colour and a hatching (style.css); the bar's label has the figures.
  const ACTIVITIES = ["work", "imbalance", "waits", "no processor", "idle"];

  function bar(parts, whole) {
    const all = parts.reduce((sum, ns) => sum + ns, 0);
    const words = parts.map((ns, at) => ns > 0 ? `${ACTIVITIES[at]} ${time(ns)} (${percent(ns / (all || 1))})` : "").filter(Boolean);
    const it = make("span", undefined, undefined, { class: "bar", role: "img", "aria-label": words.join(", "), title: words.join("\n") });
    parts.forEach((ns, at) => {
      if (ns > 0) make("span", undefined, it, { class: `part activity-${at}` }).style.width = 100 * ns / (whole || 1) + "%";
    });
    return it;
  }

  function barLegend(place, used) {
    place.replaceChildren();
    ACTIVITIES.forEach((name, at) => {
      if (!used[at]) return;
      const line = make("li", undefined, place);
      make("span", undefined, line, { class: `swatch activity-${at}` });
      line.append(" " + name);
    });
  }
