// The dialog in which the paths of two runs at one task are looked at.

function startPairViewer(pairs) {
  const drawable = pairs.filter((pair) => pair.known.some((side) => side.path !== null));
  const state = { pair: null, step: 0, whole: false };
  const dialog = byId("viewer");
  const draw = () => {
    const { pair, step, whole } = state;
    const text = `step ${step} of ${lastStep(pair)}`;
    drawPair(byId("map"), pair, { whole, step });
    byId("step").value = step;
    byId("step").setAttribute("aria-valuetext", text);
    byId("step-text").textContent = text;
  };
  const go = (step) => {
    state.step = clamp(step, 0, lastStep(state.pair));
    draw();
  };
  const open = (pair) => {
    state.pair = pair;
    showPair(pair);
    go(lastStep(pair));
    if (!dialog.open) {
      dialog.showModal();
      byId("viewer-title").focus();
    }
    dialog.scrollTop = 0;
    history.replaceState(null, "", pairAddress(pair));
  };
  const turn = (difference) => {
    const place = drawable.indexOf(state.pair) + difference;
    open(drawable[(place + drawable.length) % drawable.length]);
  };
  const box = node("input", { type: "checkbox", id: "layer-whole" });
  byId("layers").append(node("label", {}, box, " whole map"));
  box.addEventListener("change", () => {
    state.whole = box.checked;
    draw();
  });
  dialog.addEventListener("close", () => {
    history.replaceState(null, "", location.pathname + location.search);
  });
  bindPairControls(dialog, state, go, turn);
  return open;
}

function bindPairControls(dialog, state, go, turn) {
  const actions = {
    close: () => dialog.close(), previous: () => turn(-1), next: () => turn(1),
    first: () => go(0), back: () => go(state.step - 1), forward: () => go(state.step + 1),
    last: () => go(lastStep(state.pair)),
  };
  for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", action);
  byId("step").addEventListener("input", (event) => go(Number(event.target.value)));
  const keys = {
    ArrowLeft: actions.back, ArrowRight: actions.forward, Home: actions.first, End: actions.last,
    PageUp: actions.previous, PageDown: actions.next,
  };
  dialog.addEventListener("keydown", (event) => {
    const action = event.altKey || event.ctrlKey || event.metaKey ? null : keys[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

function showPair(pair) {
  byId("viewer-title").replaceChildren(named(pair.sceneName), " / ", named(pair.name));
  byId("step").max = lastStep(pair);
  byId("map-text").textContent = pairText(pair);
  const legend = document.querySelectorAll(".legend.paths")[0];
  const own = document.querySelector(`#solved-${pair.pair} .legend.paths`) ?? legend;
  byId("viewer-legend").replaceChildren(...[...own.children].map((item) => item.cloneNode(true)));
  const errors = pair.known.filter((side) => side.error);
  byId("viewer-errors").replaceChildren(
    ...errors.map((side) => node("li", {}, named(side.run.name), ": ", named(side.error))),
  );
  fillPairFacts(pair.known);
}

function fillPairFacts(known) {
  const heads = known.map((side) => {
    const badge = node("i", { class: `badge ${side.run.style}` }, LETTERS[side.place]);
    return node("th", { scope: "col" }, badge, " ", named(side.run.name));
  });
  const names = [...new Set(known.flatMap((side) => side.facts.map(([name]) => name)))];
  const rows = names.map((name) => {
    const cells = known.map((side) => {
      const fact = side.facts.find(([one]) => one === name);
      return node("td", {}, fact === undefined ? "–" : named(fact[1] || "–"));
    });
    return node("tr", {}, node("th", { scope: "row" }, name), ...cells);
  });
  const table = byId("pair-facts");
  table.tHead.replaceChildren(node("tr", {}, node("td"), ...heads));
  table.tBodies[0].replaceChildren(...rows);
}

function pairText(pair) {
  const map = pair.scene.picture === null ? "Without a map" : "Map of the scene";
  const parts = pair.known.map(({ run, path }) => {
    if (path === null) return `no path of ${run.name}`;
    const count = path.hit.length;
    return `path of ${run.name} with ${count} ${count === 1 ? "collision" : "collisions"}`;
  });
  return `${map}: reference, ${parts.join(", ")}.`;
}

function pairAddress(pair) {
  const parts = [String(pair.pair), pair.sceneName, pair.name];
  return `#task=${parts.map(encodeURIComponent).join("/")}`;
}
