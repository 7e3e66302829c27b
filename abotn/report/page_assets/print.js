// On paper nothing can be opened, so all of it is open there.
function openForPrint() {
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    closed.forEach((details) => { details.open = true; });
  });
  addEventListener("afterprint", () => {
    closed.forEach((details) => { details.open = false; });
  });
}
