// The data of the page: runs, scenes, tasks, records and, when first drawn, their paths.

function readModel() {
  const data = readJson("data");
  if (data === null) return null;
  const paths = readJson("paths");
  data.tasks.forEach((task) => {
    task.scene = data.scenes[task.scene];
    task.records = [];
  });
  data.records = data.records.map((row, number) => record(row, number, data, paths));
  return data;
}

function record([run, task, attempt, cause, values, error], number, data, paths) {
  const made = {
    number, attempt, cause, values, error,
    run: data.runs[run],
    runNumber: run,
    task: data.tasks[task],
    outcome: data.causes[cause],
    path: paths[number],
  };
  made.name = made.task.name + (attempt ? `@${attempt}` : "");
  made.task.records.push(made);
  return made;
}

// Points in page metres: x to the right and y down from the corner of the scene's map.
function points(encoded, scene) {
  const [a, b, c, d, e, f] = scene.matrix;
  const found = [];
  let x = 0;
  let y = 0;
  for (let i = 0; i < encoded.length; i += 2) {
    x += encoded[i];
    y += encoded[i + 1];
    found.push([(a * x + b * y) / 100 + c, (d * x + e * y) / 100 + f]);
  }
  return found;
}

function pathPoints(record) {
  return record.path === null ? [] : points(record.path.xy, record.task.scene);
}

// A heading in the world as the unit vector it has on the page.
function headingOf(record, place) {
  const [a, b, , d, e] = record.task.scene.matrix;
  const angle = (record.path.yaw[place] * Math.PI) / 180;
  const x = a * Math.cos(angle) + b * Math.sin(angle);
  const y = d * Math.cos(angle) + e * Math.sin(angle);
  const length = Math.hypot(x, y) || 1;
  return [x / length, y / length];
}

// The strip of views to show at a step: the last one taken by then.
function stripAt(views, step) {
  let place = 0;
  while (place + 1 < views.at.length && views.at[place + 1] <= step) place += 1;
  return { source: views.strips[place], step: views.at[place], views: views.views };
}

function addressOf(record) {
  const parts = [record.run.name, record.task.scene.name, record.name];
  return `#task=${parts.map(encodeURIComponent).join("/")}`;
}

function recordAt(address, model) {
  return model.records.find((record) => addressOf(record) === address) || null;
}
