// Stepping through one path: where it stands, and what the step says.

function stepper(count, changed) {
  const state = { place: 0, timer: null };
  const go = (place) => {
    state.place = clamp(place, 0, Math.max(count() - 1, 0));
    changed(state.place);
  };
  const stop = () => {
    clearInterval(state.timer);
    state.timer = null;
    byId("play").textContent = "Play";
  };
  const play = () => {
    if (state.timer !== null) return stop();
    if (state.place >= count() - 1) go(0);
    byId("play").textContent = "Pause";
    state.timer = setInterval(() => {
      go(state.place + 1);
      if (state.place >= count() - 1) stop();
    }, 250);
  };
  return {
    go,
    stop,
    play,
    by: (difference) => go(state.place + difference),
    end: () => go(count() - 1),
    place: () => state.place,
  };
}

function stepFacts(record, place) {
  const { path } = record;
  if (path === null) return [["path", "no trajectory was recorded"]];
  const hit = path.hit.indexOf(place);
  const inside = hit < 0 ? "" : `, ${metres(path.len[hit])} inside obstacles`;
  return [
    ["to the goal", metres(path.d[place])],
    ["heading", `${path.yaw[place]}°`],
    ["collision", hit < 0 ? "no" : `yes${inside}`],
  ];
}

function recordFacts(record, columns) {
  const values = columns.map(({ head, digits }, place) => {
    return [head, formatted(record.values[place], digits)];
  });
  const goal = record.task.label ? [["goal", named(record.task.label)]] : [];
  return [["outcome", outcomeOf(record)], ...goal, ...values];
}

function fillFacts(list, facts) {
  list.replaceChildren(
    ...facts.map(([name, value]) => node("div", {}, node("dt", {}, name), node("dd", {}, value))),
  );
}

function nextHit(record, place) {
  const hits = record.path === null ? [] : record.path.hit;
  return hits.find((hit) => hit > place) ?? hits[0] ?? null;
}

// Distance to the goal over the steps, with the arrival radius and the collisions.
function drawDistances(svg, record) {
  const { path, task } = record;
  const distances = path === null ? [] : path.d.map((one) => (one === null ? null : one / 100));
  const most = Math.max(...distances.filter((one) => one !== null), task.radius ?? 0, 0.01) * 1.05;
  const last = Math.max(distances.length - 1, 1);
  const place = ([step, metre]) => [(1000 * step) / last, 100 - (100 * metre) / most];
  const line = [...distances.entries()].filter(([, one]) => one !== null).map(place);
  svg.setAttribute("viewBox", "0 0 1000 100");
  svg.setAttribute("preserveAspectRatio", "none");
  const hits = path === null ? [] : path.hit.map((step) => (1000 * step) / last);
  svg.replaceChildren(
    ...hits.map((x) => shape("line", { class: "hit-line", x1: x, x2: x, y1: 0, y2: 100 })),
    ...(task.radius === null ? [] : [radiusLine(place([0, task.radius])[1])]),
    polyline(line, "distance"),
  );
}

function radiusLine(y) {
  return shape("line", { class: "radius", x1: 0, x2: 1000, y1: y, y2: y });
}
