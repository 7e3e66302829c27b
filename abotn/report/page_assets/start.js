// Starts the page once all of it is there.

function start() {
  const model = readModel();
  if (model === null) return;
  const opener = { open: null };
  const table = startTable(model, (record) => opener.open(record));
  opener.open = startViewer(model, () => table.chosen());
  document.querySelectorAll("[data-thumb]").forEach((svg) => {
    svg.setAttribute("class", "map");
    svg.setAttribute("aria-hidden", "true");
    drawMap(svg, model.records[Number(svg.dataset.thumb)]);
  });
  document.querySelectorAll("[data-record]").forEach((button) => {
    button.addEventListener("click", () => opener.open(model.records[Number(button.dataset.record)]));
  });
  document.querySelectorAll("[data-outcome]").forEach((button) => {
    button.addEventListener("click", () => showOutcome(button.dataset.outcome));
  });
  const addressed = recordAt(location.hash, model);
  if (addressed !== null) opener.open(addressed);
}

function showOutcome(outcome) {
  byId("filters").reset();
  byId("filter-outcome").value = outcome;
  byId("filters").dispatchEvent(new Event("input"));
  byId("records").scrollIntoView();
  byId("filter-outcome").focus({ preventScroll: true });
}

openForPrint();
start();
