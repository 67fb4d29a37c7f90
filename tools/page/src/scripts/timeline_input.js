  // Keys and pointer on the timeline.
  function timelineEvents() {
    const keys = {
      ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2), "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2),
      Home: everything, Enter: () => next((slice) => slice[0] === lane), s: () => select({ ...span }), Escape: () => select(null),
      ArrowUp: () => { [lane, chosen] = [Math.max(lane - 1, 0), -1]; draw(); tell(); },
      ArrowDown: () => { [lane, chosen] = [Math.min(lane + 1, view.timeline.threads.length - 1), -1]; draw(); tell(); },
    };
    canvas.addEventListener("keydown", (event) => {
      if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      keys[event.key]();
    });
    const momentOf = (event) => {
      const box = canvas.getBoundingClientRect();
      return span.from + (event.clientX - box.left - LEFT) / Math.max(box.width - LEFT, 1) * (span.to - span.from);
    };
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) move(Math.sign(event.deltaX || event.deltaY) * 0.1);
      else zoom(event.deltaY < 0 ? 0.8 : 1.25, momentOf(event));
    }, { passive: false });
    // A drag selects an interval, or with shift moves; a click chooses what is there.
    let drag = null;
    canvas.addEventListener("pointerdown", (event) => {
      drag = { x: event.clientX, at: momentOf(event), moves: event.shiftKey || event.button === 1, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!drag) return hover(event, momentOf(event));
      if (Math.abs(event.clientX - drag.x) > 3) drag.moved = true;
      if (!drag.moved) return;
      const at = momentOf(event);
      if (drag.moves) {
        const by = drag.at - at;
        span = { from: span.from + by, to: span.to + by };
      } else interval = bounded(drag.at, at);
      draw();
    });
    canvas.addEventListener("pointerup", (event) => {
      const was = drag;
      drag = null;
      if (was && was.moved) {
        tell();
        return was.moves ? undefined : select(bounded(was.at, momentOf(event)));
      }
      if (sliceAt(event, momentOf(event)) < 0) chosen = -1;
      const thread = laneAt(event);
      if (thread >= 0) lane = thread;
      chosen = sliceAt(event, momentOf(event));
      draw();
      tell();
    });
    const overviewMoment = (event) => {
      const box = overview.getBoundingClientRect();
      return (event.clientX - box.left - LEFT) / Math.max(box.width - LEFT, 1) * view.timeline.length_ns;
    };
    let slides = false;
    const slide = (event) => {
      const half = (span.to - span.from) / 2, at = overviewMoment(event);
      span = { from: at - half, to: at + half };
      draw();
      tell();
    };
    overview.addEventListener("pointerdown", (event) => { slides = true; overview.setPointerCapture(event.pointerId); slide(event); });
    overview.addEventListener("pointermove", (event) => { if (slides) slide(event); });
    overview.addEventListener("pointerup", () => { slides = false; });
    element("search").addEventListener("input", () => draw());
    element("search").addEventListener("keydown", (event) => { if (event.key === "Enter") search(); });
    const buttons = { next: search, in: () => zoom(0.5), out: () => zoom(2), all: everything, selected: () => select({ ...span }) };
    for (const [id, action] of Object.entries(buttons)) element(id).addEventListener("click", action);
  }

  const bounded = (one, other) => {
    const length = view.timeline.length_ns;
    return { from: Math.max(Math.min(one, other), 0), to: Math.min(Math.max(one, other), length) };
  };

  function laneAt(event) {
    const thread = Math.floor((event.clientY - canvas.getBoundingClientRect().top - AXIS) / laneHeight());
    return thread >= 0 && thread < view.timeline.threads.length ? thread : -1;
  }

  // The innermost slice at a moment of a thread.
  function sliceAt(event, at) {
    const thread = laneAt(event);
    let found = -1;
    view.timeline.slices.forEach((slice, number) => {
      if (slice[0] === thread && slice[1] <= at && at <= slice[1] + slice[2]) found = number;
    });
    return found;
  }

  function hover(event, at) {
    const found = sliceAt(event, at), line = view.timeline;
    canvas.title = found < 0 ? "" : shown(`${line.names[line.slices[found][4]]}: ${time(line.slices[found][2])}`);
  }
