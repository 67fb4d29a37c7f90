  // Elements of the page.
  const data = JSON.parse(document.getElementById("data").textContent);
  const element = (id) => document.getElementById(id);
  // The measurement that is shown, one of data.views.
  let view;

  function make(name, content, parent, attributes) {
    const it = document.createElement(name);
    if (content instanceof Node) it.append(content);
    else if (content !== undefined && content !== null) it.textContent = shown(content);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value === true) it.setAttribute(key, "");
      else if (value !== false && value !== undefined && value !== null) it.setAttribute(key, shown(value));
    }
    if (parent) parent.append(it);
    return it;
  }

  // A sentence: what is between backticks is code.
  function prose(text, name, parent, attributes) {
    const it = make(name, undefined, parent, attributes);
    text.split("`").forEach((part, at) => it.append(at % 2 ? make("code", part) : shown(part)));
    return it;
  }

  function button(text, parent, action, attributes) {
    const it = make("button", text, parent, { type: "button", ...attributes });
    it.addEventListener("click", action);
    return it;
  }

  function drawn(name, attributes, parent) {
    const it = document.createElementNS(element("drawing").namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) it.setAttribute(key, value);
    if (parent) parent.append(it);
    return it;
  }

  // Hides a section of which there is nothing to show, with its link.
  function offer(name, is) {
    element(name + "-part").hidden = !is;
    document.querySelector(`nav a[href="#${name}-part"]`).hidden = !is;
  }

  const theme = () => {
    const style = getComputedStyle(document.documentElement);
    return (name) => style.getPropertyValue("--" + name).trim();
  };
