// A task on its map: reference, path coloured by step, collisions, start, goal.

const PATH_COLOURS = [[45, 104, 214], [178, 62, 160], [232, 112, 30]];

function drawMap(svg, record, { whole = false, others = [], step = null } = {}) {
  const scene = record.task.scene;
  const path = pathPoints(record);
  const reference = points(record.task.reference, scene);
  const goal = record.task.goal === null ? null : points(record.task.goal, scene)[0];
  const radius = record.task.radius ?? 0;
  const shown = [...path, ...reference, ...around(goal, radius), ...others.flatMap(pathPoints)];
  const box = whole && scene.size ? [0, 0, ...scene.size] : boxAround(shown);
  const unit = Math.max(box[2], box[3]) / 100;
  svg.setAttribute("viewBox", box.join(" "));
  svg.replaceChildren(
    ...picture(scene),
    ...goalMarks(goal, radius, unit),
    polyline(reference, "reference"),
    ...others.map((other) => polyline(pathPoints(other), `other ${other.run.style}`)),
    polyline(path, "halo"),
    ...segments(path),
    ...hitMarks(record, path, unit),
    ...startMark(path, unit),
    ...scaleBar(box, unit),
  );
  if (step !== null && path.length) {
    svg.append(poseMark(path[step], headingOf(record, step), unit));
  }
}

// Moves the pose of a drawn map to another step.
function movePose(svg, record, step) {
  const path = pathPoints(record);
  if (!path.length) return;
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  const unit = Math.max(width, height) / 100;
  svg.querySelector(".pose")?.replaceWith(poseMark(path[step], headingOf(record, step), unit));
  svg.querySelectorAll(".step").forEach((line, place) => {
    line.classList.toggle("ahead", place >= step);
  });
}

function drawLegend(svg) {
  const line = (name) => shape("line", { class: name, x1: 1, y1: 6, x2: 23, y2: 6 });
  svg.setAttribute("viewBox", "0 0 24 12");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", "map");
  const kinds = {
    path: () => segments([[1, 6], [8, 6], [16, 6], [23, 6]]),
    reference: () => [line("reference")],
    hit: () => [cross([12, 6], 4)],
    start: () => [shape("circle", { class: "start", cx: 12, cy: 6, r: 4 })],
    goal: () => goalMarks([12, 6], 5, 1.6),
  };
  svg.replaceChildren(...kinds[svg.dataset.legend]());
}

function picture(scene) {
  if (scene.picture === null) return [];
  const [width, height] = scene.size;
  const place = { x: 0, y: 0, width, height };
  const floor = { href: scene.picture, class: "floor", preserveAspectRatio: "none", ...place };
  return [shape("rect", { class: "ground", ...place }), shape("image", floor)];
}

function around(centre, radius) {
  if (centre === null) return [];
  const [x, y] = centre;
  return [[x - radius, y - radius], [x + radius, y + radius]];
}

function boxAround(shown) {
  if (!shown.length) return [-1, -1, 2, 2];
  const xs = shown.map(([x]) => x);
  const ys = shown.map(([, y]) => y);
  const left = Math.min(...xs);
  const top = Math.min(...ys);
  const width = Math.max(...xs) - left;
  const height = Math.max(...ys) - top;
  const margin = Math.max(0.12 * Math.max(width, height), 0.5);
  return [left - margin, top - margin, width + 2 * margin, height + 2 * margin];
}

function polyline(list, name) {
  return shape("polyline", { class: name, points: list.map((point) => point.join()).join(" ") });
}

function segments(path) {
  return path.slice(1).map(([x2, y2], place) => {
    const [x1, y1] = path[place];
    const stroke = stepColour(path.length > 2 ? place / (path.length - 2) : 0);
    return shape("line", { class: "step", x1, y1, x2, y2, stroke });
  });
}

function stepColour(share) {
  const scaled = share * (PATH_COLOURS.length - 1);
  const place = Math.min(Math.floor(scaled), PATH_COLOURS.length - 2);
  const mixed = PATH_COLOURS[place].map((from, channel) => {
    return Math.round(from + (PATH_COLOURS[place + 1][channel] - from) * (scaled - place));
  });
  return `rgb(${mixed.join()})`;
}

function hitMarks(record, path, unit) {
  return record.path === null ? [] : record.path.hit.map((place) => cross(path[place], 1.5 * unit));
}

function cross([x, y], size) {
  const arms = `M${x - size},${y - size}l${2 * size},${2 * size}m0,${-2 * size}l${-2 * size},${2 * size}`;
  return shape("g", { class: "hit" }, shape("path", { class: "halo", d: arms }), shape("path", { d: arms }));
}

function startMark(path, unit) {
  if (!path.length) return [];
  const [cx, cy] = path[0];
  return [shape("circle", { class: "start", cx, cy, r: 1.6 * unit })];
}

function goalMarks(goal, radius, unit) {
  if (goal === null) return [];
  const [cx, cy] = goal;
  const size = 1.4 * unit;
  const diamond = `M${cx},${cy - size}l${size},${size}l${-size},${size}l${-size},${-size}z`;
  return [
    shape("circle", { class: "arrival", cx, cy, r: radius }),
    shape("path", { class: "goal", d: diamond }),
  ];
}

function poseMark([x, y], [cos, sin], unit) {
  const corner = (ahead, left) => {
    return [x + unit * (ahead * cos - left * sin), y + unit * (ahead * sin + left * cos)].join();
  };
  const corners = [corner(3.2, 0), corner(-2, 2), corner(-1, 0), corner(-2, -2)].join(" ");
  return shape("polygon", { class: "pose", points: corners });
}

function scaleBar([left, top, width, height], unit) {
  const rough = width / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const length = [5, 2, 1].map((factor) => factor * power).find((one) => one <= rough);
  const x = left + 3 * unit;
  const y = top + height - 3 * unit;
  const d = `M${x},${y - unit}v${unit}h${length}v${-unit}`;
  const text = { class: "scale-text", x: x + length / 2, y: y - 1.5 * unit, "font-size": 4 * unit };
  return [
    shape("path", { class: "scale-halo", d }),
    shape("path", { class: "scale-bar", d }),
    shape("text", text, `${length} m`),
  ];
}
