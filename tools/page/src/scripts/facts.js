  // Facts: settings, machine, runtimes, what could not be seen, raw counts, and how to get the data.
  function facts() {
    const place = element("facts");
    place.replaceChildren();
    const list = make("dl", undefined, place, { class: "facts" });
    for (const [name, value] of view.facts) {
      make("dt", name, list);
      make("dd", quantity(value), list);
    }
    view.tables.filter((table) => table.part === "facts").forEach((table) => plainTable(make("div", undefined, place), table));
    if (view.exports.length) {
      make("h3", "The data", place);
      const list = make("dl", undefined, place, { class: "facts" });
      for (const [command, what] of view.exports) {
        make("dt", make("code", command), list);
        make("dd", what, list);
      }
    }
  }
