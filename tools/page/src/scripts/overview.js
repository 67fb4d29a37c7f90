  // The whole run in a strip: how many of the threads work (dark, from below) and wait (light, above) at each moment, with a window
  // around what the timeline shows.
  const overview = element("overview"), STRIP_HIGH = 40;
  let overviewStrip = null;

  function overviewParts() {
    const line = view.timeline, resolution = line.resolutions[0], threads = line.threads.length || 1;
    const parts = Array.from({ length: resolution.buckets }, () => [0, 0]);
    for (let thread = 0; thread < line.threads.length; thread++) {
      states(resolution, thread).forEach((state, at) => { if (state) parts[at][line.states[state].waits ? 1 : 0] += 1 / threads; });
    }
    return parts;
  }

  // The strip as a picture, which is drawn again where its width or its colours are others.
  function overviewSheet(room, colour) {
    const key = [room, colour("state-2"), colour("state-4")].join();
    if (overviewStrip && overviewStrip.key === key) return overviewStrip.sheet;
    const all = overviewParts(), each = all.length / room, sheet = new OffscreenCanvas(room, STRIP_HIGH), pen = sheet.getContext("2d");
    for (let at = 0; at < room; at++) {
      const pieces = all.slice(Math.floor(at * each), Math.max(Math.ceil((at + 1) * each), Math.floor(at * each) + 1));
      const [work, wait] = [0, 1].map((which) => pieces.reduce((sum, piece) => sum + piece[which], 0) / pieces.length * STRIP_HIGH);
      pen.fillStyle = colour("state-2");
      pen.fillRect(at, STRIP_HIGH - work, 1, work);
      pen.fillStyle = colour("state-4");
      pen.fillRect(at, STRIP_HIGH - work - wait, 1, wait);
    }
    overviewStrip = { key, sheet };
    return sheet;
  }

  function drawOverview() {
    const ratio = window.devicePixelRatio || 1, width = Math.max(overview.clientWidth, LEFT + 50), room = Math.floor(width - LEFT);
    [overview.width, overview.height] = [Math.round(width * ratio), Math.round((AXIS + STRIP_HIGH) * ratio)];
    const pen = overview.getContext("2d"), colour = theme(), length = view.timeline.length_ns;
    const x = (ns) => LEFT + ns / length * room;
    pen.scale(ratio, ratio);
    pen.font = "12px system-ui, sans-serif";
    pen.textBaseline = "middle";
    drawAxis(pen, colour, x, room, { from: 0, to: length });
    pen.drawImage(overviewSheet(room, colour), LEFT, AXIS);
    pen.fillStyle = colour("soft");
    pen.fillText("whole run", 8, AXIS + STRIP_HIGH / 2);
    pen.fillStyle = colour("shade");
    pen.fillRect(LEFT, AXIS, x(span.from) - LEFT, STRIP_HIGH);
    pen.fillRect(x(span.to), AXIS, width - x(span.to), STRIP_HIGH);
    pen.strokeStyle = colour("accent");
    pen.lineWidth = 2;
    pen.strokeRect(x(span.from) + 1, AXIS + 1, Math.max(x(span.to) - x(span.from) - 2, 2), STRIP_HIGH - 2);
  }
