// The slider: yes from which probability on? Counted anew from the embedded counts of true and false yes.
function thresholds(data) {
  const curves = dataOf("curves").filter((curve) => curve.at.length > 1),
    place = byId("threshold");
  if (!curves.length) {
    place.replaceChildren(
      node(
        "p",
        { class: "soft" },
        "No judge here gives different probabilities to different items, so there is no threshold to move.",
      ),
    );
    return;
  }
  const choice = byId("curve"),
    slide = byId("at"),
    numbers = byId("at-numbers"),
    told = byId("at-told"),
    drawing = byId("at-drawing");
  const title = (c) =>
    `${data.judges[c.judge].name} · ${c.statement} · ${c.stratum} · ${c.side === "reported" ? "reported rows" : "development rows"}`;
  choice.append(...curves.map((curve, n) => node("option", { value: n }, title(curve))));

  function draw(curve, index) {
    const x = (i) => 30 + (curve.at.length < 2 ? 0 : (i * 560) / (curve.at.length - 1)),
      y = (v) => 110 - v * 100;
    const line = (values, name) =>
      drawn("polyline", {
        class: name,
        points: values
          .map((v, i) => (v === null ? null : `${x(i).toFixed(1)},${y(v).toFixed(1)}`))
          .filter(Boolean)
          .join(" "),
      });
    const precision = curve.at.map((_, i) => share(curve.tp[i], curve.tp[i] + curve.fp[i])),
      recall = curve.at.map((_, i) => share(curve.tp[i], curve.yes));
    drawing.replaceChildren(
      ...[0, 0.5, 1].flatMap((v) => [
        drawn("line", { class: "grid", x1: 30, x2: 590, y1: y(v), y2: y(v) }),
        drawn("text", { x: 24, y: y(v) + 4, "text-anchor": "end" }, String(v)),
      ]),
      line(precision, "precision"),
      line(recall, "recall"),
      drawn("line", { class: "here", x1: x(index), x2: x(index), y1: 8, y2: 110 }),
      drawn("text", { x: 30, y: 126 }, "threshold high, few yes"),
      drawn("text", { x: 590, y: 126, "text-anchor": "end" }, "threshold low, many yes"),
    );
  }

  function tell() {
    const curve = curves[choice.value],
      index = Number(slide.value),
      tp = curve.tp[index],
      fp = curve.fp[index];
    const fn = curve.yes - tp,
      tn = curve.no - fp;
    const facts = [
      ["threshold", curve.at[index].toFixed(4), "yes from here on"],
      ["precision", ...told95(tp, tp + fp, "nothing is called yes")],
      ["recall", ...told95(tp, curve.yes, "no yes among the labels")],
      ["specificity", ...told95(tn, curve.no, "no no among the labels")],
      ["called yes", ...told95(tp + fp, curve.yes + curve.no, "no rows")],
      ["TP FP FN TN", `${tp} ${fp} ${fn} ${tn}`, `${curve.unscored} labelled rows unscored`],
    ];
    numbers.replaceChildren(
      ...facts.map(([name, value, more]) =>
        node("li", {}, name, node("b", {}, value), node("span", { class: "soft small" }, more)),
      ),
    );
    slide.setAttribute("aria-valuetext", `threshold ${curve.at[index].toFixed(4)}`);
    told.textContent =
      curve.side === "reported"
        ? "These are reported rows: a threshold chosen on them is fitted to them, and its figures are too good. Choose on development rows, then look here once."
        : "Development rows: a threshold may be chosen here. What it is worth is measured on other rows.";
    draw(curve, index);
  }

  function pick() {
    const curve = curves[choice.value];
    slide.max = curve.at.length - 1;
    slide.value = Math.max(curve.at.filter((at) => at >= 0.5).length - 1, 0);
    tell();
  }

  choice.addEventListener("change", pick);
  slide.addEventListener("input", tell);
  // Where a threshold may be chosen, on the leading statement, of the judge with most to choose from.
  const rank = (c) =>
    (c.side === "development" ? 4000 : 0) + (c.statement === place.dataset.statement ? 2000 : 0) + c.at.length;
  choice.value = curves.indexOf(curves.reduce((best, c) => (rank(c) > rank(best) ? c : best)));
  pick();
}

const share = (part, whole) => (whole ? part / whole : null);

function told95(part, whole, otherwise) {
  if (!whole) return ["n/a", otherwise];
  const [low, high] = wilson(part, whole);
  return [short(part / whole), `${part} of ${whole}, 95 % ${short(low)} to ${short(high)}`];
}

// Wilson (1927), each row taken for itself: families are not taken into account, unlike in the tables.
function wilson(part, whole) {
  const z = 1.959963984540054,
    p = part / whole,
    middle = p + (z * z) / (2 * whole);
  const half = z * Math.sqrt((p * (1 - p)) / whole + (z * z) / (4 * whole * whole)),
    below = 1 + (z * z) / whole;
  return [Math.max((middle - half) / below, 0), Math.min((middle + half) / below, 1)];
}

function short(value) {
  const text = value.toFixed(2);
  if (Number(text) === 1 && value < 1) return ">.99";
  if (Number(text) === 0 && value > 0) return "<.01";
  return text.replace(/^0\./, ".");
}
