// The dialog in which a task is stepped through.

function startViewer(model, neighbours) {
  const state = { record: null, views: null, others: false, whole: false };
  const steps = stepper(
    () => (state.record.path === null ? 1 : state.record.path.at.length),
    (place) => showStep(state, place),
  );
  const dialog = byId("viewer");
  const open = (record) => {
    steps.stop();
    showRecord(state, record, model);
    steps.go(0);
    if (!dialog.open) {
      dialog.showModal();
      byId("viewer-title").focus();
    }
    dialog.scrollTop = 0;
    history.replaceState(null, "", addressOf(record));
  };
  const turn = (difference) => {
    const list = neighbours();
    const place = list.indexOf(state.record);
    if (list.length) open(list[(place + difference + list.length) % list.length]);
  };
  const redraw = () => drawStage(state, steps.place());
  layerBoxes(model).forEach(([key, box]) => {
    box.addEventListener("change", () => {
      state[key] = box.checked;
      redraw();
    });
  });
  dialog.addEventListener("close", () => {
    steps.stop();
    history.replaceState(null, "", location.pathname + location.search);
  });
  bindControls(dialog, steps, turn, state);
  document.querySelectorAll("[data-legend]").forEach(drawLegend);
  return open;
}

function bindControls(dialog, steps, turn, state) {
  const toHit = () => {
    const place = nextHit(state.record, steps.place());
    if (place !== null) steps.go(place);
  };
  const actions = {
    close: () => dialog.close(), previous: () => turn(-1), next: () => turn(1),
    first: () => steps.go(0), back: () => steps.by(-1), forward: () => steps.by(1),
    last: () => steps.end(), play: () => steps.play(), hit: toHit,
  };
  for (const [id, action] of Object.entries(actions)) byId(id).addEventListener("click", action);
  byId("step").addEventListener("input", (event) => steps.go(Number(event.target.value)));
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

function layerBoxes(model) {
  const boxes = [["whole", "whole map"]];
  if (model.records.length > model.tasks.length) boxes.push(["others", "other paths of this task"]);
  return boxes.map(([key, text]) => {
    const box = node("input", { type: "checkbox", id: `layer-${key}` });
    byId("layers").append(node("label", {}, box, ` ${text}`));
    return [key, box];
  });
}

function showRecord(state, record, model) {
  state.record = record;
  state.views = readJson(`views-${record.number}`);
  const parts = [record.task.scene.name, record.name];
  if (model.runs.length > 1) parts.unshift(record.run.name);
  const title = parts.flatMap((part, place) => (place ? [" / ", named(part)] : [named(part)]));
  byId("viewer-title").replaceChildren(...title);
  byId("viewer-error").hidden = !record.error;
  byId("viewer-error").textContent = record.error;
  byId("step").max = record.path === null ? 0 : record.path.at.length - 1;
  byId("hit").disabled = nextHit(record, 0) === null;
  fillFacts(byId("record-facts"), recordFacts(record, model.columns));
  drawDistances(byId("distances"), record);
  drawStage(state, 0);
}

function drawStage(state, step) {
  const { record, whole } = state;
  const others = state.others ? record.task.records.filter((one) => one !== record) : [];
  drawMap(byId("map"), record, { whole, others, step });
  byId("map-text").textContent = mapText(record);
  if (record.path !== null) movePose(byId("map"), record, step);
}

function mapText(record) {
  if (record.path === null) return "No trajectory was recorded.";
  const hits = record.path.hit.length;
  const map = record.task.scene.picture === null ? "Without a map" : "Map of the scene";
  return `${map}: reference, path and ${hits} ${hits === 1 ? "collision" : "collisions"}.`;
}

function showStep(state, place) {
  const { record } = state;
  const at = record.path === null ? [0] : record.path.at;
  const text = `step ${at[place]} of ${at[at.length - 1]}`;
  byId("step").value = place;
  byId("step").setAttribute("aria-valuetext", text);
  byId("step-text").textContent = text;
  fillFacts(byId("step-facts"), stepFacts(record, place));
  movePose(byId("map"), record, place);
  showViews(state.views, at[place]);
}

function showViews(views, step) {
  byId("views").hidden = views === null;
  if (views === null) return;
  const strip = stripAt(views, step);
  const names = strip.views.join(", ");
  byId("strip").src = strip.source;
  byId("strip").alt = `Views at step ${strip.step}, from left to right: ${names}`;
  byId("views").querySelector("figcaption").textContent = `Views at step ${strip.step}: ${names}`;
}
