  // Quantities for people: three significant digits, and a unit that no line break separates from them.
  const TIED = "\u00a0";
  const TIMES = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];

  function significant(value) {
    if (!value) return "0";
    const text = value.toPrecision(3);
    return text.includes("e") || Math.abs(value) >= 100 ? String(Number(text)) : text;
  }

  function time(ns) {
    const rounded = Number(Number(ns).toPrecision(3));
    const [size, unit] = TIMES.find(([size]) => Math.abs(rounded) >= size) || TIMES[3];
    return (size === 1 ? String(Math.round(rounded)) : significant(rounded / size)) + TIED + unit;
  }

  function percent(part) {
    if (part > 0 && part < 1e-4) return "<" + TIED + "0.01" + TIED + "%";
    return significant(100 * part) + TIED + "%";
  }

  const count = (number) => Math.round(number).toLocaleString("en");

  // A text of the program's or of a sentence: units stay with their numbers, and characters that act or are invisible are shown.
  const ACTS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff]/g;
  const UNIT = /(\d) (?=(?:ns|us|ms|s|min|h|%|kB|MB|GB|KiB|MiB|GiB)(?![\w]))/g;
  function shown(text) {
    return String(text).replace(ACTS, (c) => `\\u{${c.codePointAt(0).toString(16)}}`).replace(UNIT, "$1" + TIED);
  }

  // At most so many ticks from 1, 2 or 5 times a power of ten.
  function ticks(from, to, most) {
    const least = Math.max((to - from) / Math.max(most, 1), 1e-9), power = 10 ** Math.floor(Math.log10(least));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least * (1 - 1e-9));
    const all = [];
    for (let at = Math.ceil(from / step - 1e-9); at * step <= to + step * 1e-9; at++) all.push(at * step);
    return { step, all };
  }

  // A moment on an axis with this step, as exact as the step.
  function moment(ns, step, largest) {
    const [size, unit] = TIMES.find(([size]) => largest >= size) || TIMES[3];
    const decimals = Math.max(0, Math.ceil(-Math.log10(step / size) - 1e-9));
    return (ns / size).toFixed(Math.min(decimals, 9)) + TIED + unit;
  }

  // A quantity of the data: {ns}, {part}, {number}, {count}, or a text.
  function quantity(value) {
    if (value === null || value === undefined) return "";
    if (typeof value !== "object") return shown(value);
    if ("ns" in value) return time(value.ns);
    if ("part" in value) return percent(value.part);
    if ("count" in value) return count(value.count);
    return "number" in value ? significant(value.number) : "";
  }

  // The number that a quantity is sorted by.
  function magnitude(value) {
    if (value === null || value === undefined) return -Infinity;
    if (typeof value !== "object") return value;
    return value.ns ?? value.part ?? value.count ?? value.number ?? value.at ?? -Infinity;
  }
