// The table of records: sorted, filtered, and shown in parts.

const FIRST_ROWS = 100;

function startTable(model, open) {
  const state = { sort: null, falling: false, limit: FIRST_ROWS };
  const heads = tableHeads(model);
  const table = byId("record-table");
  const buttons = heads.map((head) => node("button", { type: "button" }, head.text));
  const cells = heads.map((head, place) => {
    return node("th", { scope: "col", class: head.number ? null : "label" }, buttons[place]);
  });
  table.tHead.append(node("tr", {}, ...cells));
  const show = () => showRows(model, heads, state, cells, open);
  buttons.forEach((button, place) => {
    button.addEventListener("click", () => {
      state.falling = state.sort === place && !state.falling;
      state.sort = place;
      show();
    });
  });
  const filters = byId("filters");
  const changed = () => {
    state.limit = FIRST_ROWS;
    show();
  };
  filters.addEventListener("input", changed);
  filters.addEventListener("reset", () => setTimeout(changed));
  filters.addEventListener("submit", (event) => event.preventDefault());
  byId("more").addEventListener("click", () => {
    state.limit = Infinity;
    show();
  });
  show();
  return { chosen: () => chosen(model, heads, state) };
}

function tableHeads(model) {
  const text = (head, value) => ({ text: head, value, number: false });
  const heads = [text("scene", (one) => one.task.scene.name), text("task", (one) => one.name)];
  if (model.runs.length > 1) heads.unshift(text("run", (one) => one.run.name));
  if (model.tasks.some((task) => task.label)) heads.push(text("goal", (one) => one.task.label));
  heads.push({ ...text("outcome", (one) => one.outcome.name), order: (one) => one.cause });
  model.columns.forEach(({ head, digits }, place) => {
    const value = (one) => one.values[place];
    heads.push({ text: head, value, digits, number: true });
  });
  return heads;
}

function chosen(model, heads, state) {
  const found = model.records.filter(matcher());
  if (state.sort === null) return found;
  const head = heads[state.sort];
  const value = head.order || head.value;
  return found.sort((a, b) => compared(value(a), value(b), state.falling) || a.number - b.number);
}

function matcher() {
  const text = byId("filter-text").value.trim().toLowerCase();
  const [run, outcome] = ["run", "outcome"].map((key) => byId(`filter-${key}`)?.value || "");
  return (record) => {
    const { task } = record;
    if (run !== "" && record.runNumber !== Number(run)) return false;
    if (outcome !== "" && record.cause !== Number(outcome)) return false;
    const names = [record.run.name, `${task.scene.name}/${record.name}`, task.label, record.error];
    return text === "" || names.some((name) => name.toLowerCase().includes(text));
  };
}

const collator = new Intl.Collator(undefined, { numeric: true });

// A missing value comes last, whichever way the others are sorted.
function compared(a, b, falling) {
  if (a === null || b === null) return (a === null) - (b === null);
  const order = typeof a === "number" ? a - b : collator.compare(a, b);
  return falling ? -order : order;
}

function showRows(model, heads, state, cells, open) {
  const found = chosen(model, heads, state);
  const rows = found.slice(0, state.limit).map((record) => row(record, heads, open));
  byId("record-table").tBodies[0].replaceChildren(...rows);
  cells.forEach((cell, place) => {
    if (place !== state.sort) cell.removeAttribute("aria-sort");
    else cell.setAttribute("aria-sort", state.falling ? "descending" : "ascending");
  });
  byId("shown").textContent = `${found.length} of ${model.records.length} records`;
  byId("more").hidden = found.length <= state.limit;
  byId("more").textContent = `Show all ${found.length}`;
}

function row(record, heads, open) {
  return node("tr", {}, ...heads.map((head) => cell(record, head, open)));
}

function cell(record, head, open) {
  const value = head.value(record);
  if (head.number) return node("td", {}, formatted(value, head.digits));
  if (head.text === "task") {
    const button = node("button", { type: "button", class: "link" }, named(value));
    button.addEventListener("click", () => open(record));
    return node("th", { scope: "row" }, button);
  }
  const shown = head.text === "outcome" ? outcomeOf(record) : named(value);
  return node("td", { class: "label" }, shown);
}

function outcomeOf(record) {
  const kind = record.outcome.name === "solved" ? "solved" : "failed";
  return node("span", { class: `outcome ${kind}` }, record.outcome.name);
}
