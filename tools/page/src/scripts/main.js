  // Shows a measurement, and begins.
  function show(number) {
    view = data.views[number];
    [filterRow, interval] = [-1, null];
    answer();
    where();
    when();
    stacks();
    taskGraph();
    facts();
  }

  element("where-filter").addEventListener("input", whereRows);
  element("view").addEventListener("change", (event) => show(Number(event.target.value)));
  window.addEventListener("resize", () => draw());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => draw());
  for (const [event, prints] of [["beforeprint", true], ["afterprint", false]]) {
    window.addEventListener(event, () => {
      document.documentElement.classList.toggle("printed", prints);
      draw();
    });
  }
  timelineEvents();
  flameEvents();
  if (data.views.length > 1) {
    element("choice").hidden = false;
    data.views.forEach((one, number) => { make("option", one.name, element("view")).value = number; });
  }
  show(0);
  document.documentElement.dataset.ready = "1";
