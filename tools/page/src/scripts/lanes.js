  // Draws the lanes: a row of pixels for each thread, stretched to the lane's height. Work fills a lane; waits fill its lower part only, so
  // that colours are not the only mark. Names are written where they fit.
  const AXIS = 22, LEFT = 96;
  const canvas = element("timeline");
  const STATE_COUNT = 8;

  const laneHeight = () => {
    const threads = view.timeline.threads.length;
    return threads <= 4 ? 36 : threads <= 12 ? 26 : threads <= 32 ? 18 : threads <= 96 ? 12 : Math.max(2, Math.min(8, Math.floor(15000 / threads)));
  };

  function rgb(colour) {
    const number = parseInt(colour.slice(1), 16);
    return (0xff000000 | (number & 0xff) << 16 | number & 0xff00 | number >> 16) >>> 0;
  }

  // For each pixel the state of most of its time.
  function pixelStates(thread, resolution, width) {
    const all = states(resolution, thread), out = new Uint8Array(width), counts = new Uint16Array(STATE_COUNT);
    const bucket = view.timeline.length_ns / resolution.buckets, step = (span.to - span.from) / width;
    for (let x = 0; x < width; x++) {
      const from = Math.floor((span.from + x * step) / bucket);
      const to = Math.min(Math.max(Math.ceil((span.from + (x + 1) * step) / bucket), from + 1), from + 12, resolution.buckets);
      if (to - from <= 1) { out[x] = all[from] || 0; continue; }
      counts.fill(0);
      let best = all[from];
      for (let at = from; at < to; at++) if (++counts[all[at]] > counts[best]) best = all[at];
      out[x] = best;
    }
    return out;
  }

  function drawStates(pen, colours, width, height) {
    const line = view.timeline, threads = line.threads.length;
    const wanted = width * line.length_ns / (span.to - span.from);
    const resolution = line.resolutions.find((one) => one.buckets >= wanted) || line.resolutions[line.resolutions.length - 1];
    const sheet = new OffscreenCanvas(width, 2 * threads), pixels = new Uint32Array(width * 2 * threads);
    for (let thread = 0; thread < threads; thread++) {
      const found = pixelStates(thread, resolution, width), top = 2 * thread * width;
      for (let x = 0; x < width; x++) {
        const state = found[x];
        if (!state) continue;
        if (!line.states[state].waits) pixels[top + x] = colours[state];
        pixels[top + width + x] = colours[state];
      }
    }
    sheet.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(pixels.buffer), width, 2 * threads), 0, 0);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(sheet, 0, 0, width, 2 * threads, LEFT, AXIS, width, height * threads);
  }

  function draw() {
    if (!view.timeline) return;
    const began = performance.now();
    clamp();
    const line = view.timeline, colour = theme(), high = laneHeight();
    const ratio = window.devicePixelRatio || 1, width = Math.max(canvas.clientWidth, LEFT + 50), height = AXIS + high * line.threads.length;
    canvas.style.height = height + "px";
    [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const room = Math.floor(width - LEFT), scale = room / (span.to - span.from), x = (ns) => LEFT + (ns - span.from) * scale;
    drawStates(pen, line.states.map((_, at) => rgb(colour("state-" + at))), room, high);
    pen.fillStyle = colour("paper");
    if (high > 4) line.threads.forEach((_, thread) => pen.fillRect(LEFT, AXIS + (thread + 1) * high - 2, room, 2));
    pen.font = "12px system-ui, sans-serif";
    pen.textBaseline = "middle";
    drawNames(pen, colour, x, width, high);
    drawInterval(pen, colour, x, width, height);
    drawWaits(pen, colour, x, high, room);
    drawThreads(pen, colour, high);
    drawAxis(pen, colour, x, room, span);
    drawOverview();
    canvas.dataset.drawn = Number(canvas.dataset.drawn || 0) + 1;
    canvas.dataset.ms = (performance.now() - began).toFixed(1);
  }

  function drawThreads(pen, colour, high) {
    pen.fillStyle = colour("ink");
    const every = Math.ceil(14 / high);
    view.timeline.threads.forEach((name, thread) => {
      if (thread % every && thread !== lane) return;
      const middle = AXIS + thread * high + high / 2;
      if (thread === lane) pen.fillRect(0, middle - high / 2 + 1, 3, Math.max(high - 2, 2));
      pen.font = (thread === lane ? "bold " : "") + "12px system-ui, sans-serif";
      pen.fillText(shown(name), 8, middle, LEFT - 14);
    });
    pen.font = "12px system-ui, sans-serif";
  }

  function drawNames(pen, colour, x, width, high) {
    const line = view.timeline, word = element("search").value.trim().toLowerCase();
    const found = word ? line.names.map((name) => name.toLowerCase().includes(word)) : null;
    for (let at = 0; at < line.slices.length; at++) {
      const [thread, begin, length, , name] = line.slices[at];
      if (begin > span.to || begin + length < span.from) continue;
      const left = Math.max(x(begin), LEFT), right = Math.min(x(begin + length), width), top = AXIS + thread * high;
      if ((found && found[name]) || at === chosen) {
        pen.strokeStyle = colour("ink");
        pen.lineWidth = at === chosen ? 3 : 1.5;
        pen.strokeRect(left, top + 1, Math.max(right - left, 2), high - 3);
      }
      if (high >= 16 && right - left > 44 && innermost(at)) {
        pen.save();
        pen.beginPath();
        pen.rect(left + 3, top, right - left - 6, high);
        pen.clip();
        pen.fillStyle = "#000";
        const text = shown(line.names[name]), fits = pen.measureText(text).width <= right - left - 6;
        if (fits || right - left > 90) {
          pen.lineWidth = 3;
          pen.strokeStyle = "rgba(255,255,255,.75)";
          pen.strokeText(text, left + 4, top + high / 2);
          pen.fillText(text, left + 4, top + high / 2);
        }
        pen.restore();
      }
    }
  }

  // True for a named slice without another one inside of it.
  const innermost = (at) => {
    const slices = view.timeline.slices, next = slices[at + 1];
    return !next || next[0] !== slices[at][0] || next[3] <= slices[at][3];
  };

  function drawInterval(pen, colour, x, width, height) {
    if (!interval) return;
    const left = Math.max(x(interval.from), LEFT), right = Math.min(x(interval.to), width);
    pen.fillStyle = colour("shade");
    if (left > LEFT) pen.fillRect(LEFT, 0, Math.min(left, width) - LEFT, height);
    if (right < width) pen.fillRect(Math.max(right, LEFT), 0, width - Math.max(right, LEFT), height);
    pen.strokeStyle = colour("accent");
    pen.lineWidth = 2;
    for (const at of [interval.from, interval.to]) {
      if (at < span.from || at > span.to) continue;
      pen.beginPath();
      pen.moveTo(x(at), 0);
      pen.lineTo(x(at), height);
      pen.stroke();
    }
  }

  // Arrows from the longest waits that are wide enough to the thread that they were for, to when it came.
  function drawWaits(pen, colour, x, high, room) {
    const wide = (wait) => wait[2] / (span.to - span.from) * room;
    const waits = view.timeline.waits.filter((wait) => wait[1] <= span.to && wait[1] + wait[2] >= span.from && wide(wait) >= 24).slice(0, 40);
    const own = chosen >= 0 ? waitOf(chosen) : undefined;
    if (own && !waits.includes(own)) waits.push(own);
    for (const wait of waits) {
      const [thread, begin, length, other, at] = wait;
      const middle = (which) => AXIS + which * high + high / 2;
      const from = [Math.min(Math.max(x(begin + Math.min(length / 2, 1e15)), LEFT), LEFT + room), middle(thread) + high / 4], to = [x(at), middle(other)];
      if (to[0] < LEFT || to[0] > LEFT + room) continue;
      pen.strokeStyle = pen.fillStyle = colour("ink");
      pen.globalAlpha = wait === own ? 1 : 0.45;
      pen.lineWidth = wait === own ? 2.5 : 1.25;
      const down = Math.sign(to[1] - from[1]) || 1, end = to[1] - down * high / 3;
      pen.beginPath();
      pen.moveTo(...from);
      pen.bezierCurveTo(to[0], from[1], to[0], from[1], to[0], end);
      pen.stroke();
      pen.beginPath();
      pen.moveTo(to[0], end + down * 4);
      pen.lineTo(to[0] - 4, end - down * 3);
      pen.lineTo(to[0] + 4, end - down * 3);
      pen.fill();
      pen.globalAlpha = 1;
    }
  }

  function drawAxis(pen, colour, x, room, { from, to }) {
    pen.strokeStyle = colour("line");
    pen.fillStyle = colour("soft");
    pen.lineWidth = 1;
    const { step, all } = ticks(from, to, room / 110);
    for (const at of all) {
      const place = Math.round(x(at)) + 0.5, text = moment(at, step, to), half = pen.measureText(text).width / 2;
      pen.beginPath();
      pen.moveTo(place, AXIS - 5);
      pen.lineTo(place, AXIS);
      pen.stroke();
      pen.fillText(text, Math.min(Math.max(place - half, LEFT), LEFT + room - 2 * half), AXIS / 2 - 2);
    }
  }
