// Elements are built, never parsed: text from the data can only become text.

const SVG = "http://www.w3.org/2000/svg";

const byId = (id) => document.getElementById(id);

function node(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function shape(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

// A name keeps its writing direction to itself.
function named(text) {
  return node("bdi", {}, text);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

function readJson(id) {
  const holder = byId(id);
  return holder === null ? null : JSON.parse(holder.textContent);
}

function formatted(value, digits) {
  return value === null ? "–" : value.toFixed(digits);
}

function metres(centimetres) {
  return centimetres === null ? "–" : `${(centimetres / 100).toFixed(2)} m`;
}

function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}
