// Starts a comparison's page: maps are drawn when they come near the window.

function startPairs() {
  const pairs = readPairs();
  if (pairs === null) return;
  const open = startPairViewer(pairs);
  document.querySelectorAll("[data-legend]").forEach(drawPairLegend);
  const waiting = new Set(document.querySelectorAll("[data-thumb]"));
  const draw = (svg) => {
    if (waiting.delete(svg)) drawPair(svg, pairs[Number(svg.dataset.thumb)]);
  };
  const near = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) continue;
      near.unobserve(target);
      draw(target);
    }
  }, { rootMargin: "600px" });
  waiting.forEach((svg) => near.observe(svg));
  addEventListener("beforeprint", () => [...waiting].forEach(draw));
  document.querySelectorAll("[data-pair]").forEach((button) => {
    button.addEventListener("click", () => open(pairs[Number(button.dataset.pair)]));
  });
  const addressed = pairs.find((pair) => pairAddress(pair) === location.hash);
  if (addressed !== undefined) open(addressed);
}

openForPrint();
startPairs();
