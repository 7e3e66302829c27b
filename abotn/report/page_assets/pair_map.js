// Two runs at one task on one map: told apart by colour, line, letter and mark.

const LETTERS = ["A", "B"];

function readPairs() {
  const data = readJson("pairs");
  if (data === null) return null;
  return data.tasks.map((task, number) => pairOf(task, number, data));
}

function pairOf(task, number, data) {
  const scene = data.scenes[task.scene];
  const sides = task.sides.map((side, place) => {
    return side === null ? null : { ...side, place, run: data.runs[side.run], task: { scene } };
  });
  return { ...task, number, scene, sides, known: sides.filter((side) => side !== null) };
}

function drawPair(svg, pair, { whole = false, step = null } = {}) {
  const { scene, known } = pair;
  const paths = known.map(pathPoints);
  const references = known.map((side) => points(side.reference, scene));
  const goals = known.map((side) => (side.goal === null ? null : points(side.goal, scene)[0]));
  const circles = goals.flatMap((goal, place) => around(goal, known[place].radius ?? 0));
  const shown = [...paths.flat(), ...references.flat(), ...circles];
  const box = whole && scene.size ? [0, 0, ...scene.size] : boxAround(shown);
  const unit = Math.max(box[2], box[3]) / 100;
  const own = (place) => `${known[place].run.style} side-${known[place].place}`;
  svg.setAttribute("viewBox", box.join(" "));
  svg.replaceChildren(
    ...picture(scene),
    ...unlike(known, goals, "goal").flatMap((place) => {
      return goalMarks(goals[place], known[place].radius ?? 0, unit);
    }),
    ...unlike(known, references, "reference").flatMap((place) => {
      return line(references[place], "reference");
    }),
    ...paths.flatMap((path) => line(path, "halo")),
    ...paths.flatMap((path, place) => line(path, `path ${own(place)}`)),
    ...paths.flatMap((path, place) => hits(known[place], path, unit, own(place))),
    ...paths.flatMap((path) => startMark(path, unit)),
    ...paths.flatMap((path, place) => endMark(known[place], path, step, unit, own(place))),
    ...scaleBar(box, unit),
  );
}

function line(list, name) {
  return list.length ? [polyline(list, name)] : [];
}

// The places of the sides that differ from those before them: what both share is drawn once.
function unlike(known, drawn, key) {
  const texts = known.map((side) => JSON.stringify(side[key]));
  return texts.map((text, place) => place).filter((place) => {
    return drawn[place] !== null && texts.indexOf(texts[place]) === place;
  });
}

// Collisions of the first run are crosses, those of the second are upright ones.
function hits(side, path, unit, style) {
  const places = side.path === null ? [] : side.path.hit;
  return places.map((place) => {
    const mark = cross(path[place], 1.5 * unit);
    mark.setAttribute("class", `hit ${style}`);
    if (side.place === 1) mark.setAttribute("transform", `rotate(45 ${path[place].join(" ")})`);
    return mark;
  });
}

// The letter of a run at the end of its path, or where it is at a step.
function endMark(side, path, step, unit, style) {
  if (!path.length) return [];
  const [x, y] = path[step === null ? path.length - 1 : poseAt(side, step)];
  const lean = (side.place === 0 ? -2.6 : 2.6) * unit;
  const size = 2.6 * unit;
  const place = { x: x + lean, y: y + lean, "font-size": 1.5 * size };
  return [
    shape("circle", { class: `end ${style}`, cx: x, cy: y, r: 0.9 * unit }),
    shape("circle", { class: `end ${style}`, cx: x + lean, cy: y + lean, r: size }),
    shape("text", { class: "letter", ...place }, LETTERS[side.place]),
  ];
}

// The place of the last kept pose that was reached by a step.
function poseAt(side, step) {
  const { at } = side.path;
  let place = 0;
  while (place + 1 < at.length && at[place + 1] <= step) place += 1;
  return place;
}

function lastStep(pair) {
  const ends = pair.known.map(({ path }) => (path === null ? 0 : path.at[path.at.length - 1]));
  return Math.max(0, ...ends);
}

function drawPairLegend(svg) {
  const [kind, place] = svg.dataset.legend.split("-");
  const stroke = (name) => polyline([[1, 9], [35, 9]], name);
  const mark = () => {
    const found = cross([18, 9], 4);
    if (place === "1") found.setAttribute("transform", "rotate(45 18 9)");
    return found;
  };
  const kinds = {
    path: () => [stroke("halo"), stroke(`path side-${place}`)],
    hit: () => [mark()],
    reference: () => [stroke("reference")],
    start: () => [shape("circle", { class: "start", cx: 18, cy: 9, r: 5 })],
    goal: () => goalMarks([18, 9], 7, 2.4),
  };
  svg.setAttribute("viewBox", "0 0 36 18");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", "map");
  svg.replaceChildren(...kinds[kind]());
}
