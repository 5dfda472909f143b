// The guide beside the question: the statement's own section and near misses first, the whole of it folded below.

let wholeGuide = null;

function showGuide(asked, version) {
  const guide = at("guide");
  if (version === null) {
    guide.replaceChildren(make("h2", {}, "Guide"), make("p", { class: "soft" }, "This suite has no guide."));
    return;
  }
  const own = asked.guide.length ? blocks(asked.guide) : [make("p", { class: "soft" }, "No section of the guide names this statement.")];
  const near = asked.near_misses.length ? [make("h3", {}, "Near misses"), ...blocks(asked.near_misses)] : [];
  const rest = make("div");
  const whole = make("details", { ontoggle: () => fillWholeGuide(whole, rest) }, make("summary", {}, "The whole guide"), rest);
  guide.replaceChildren(make("h2", {}, `Guide, version ${version}`), ...own, ...near, whole);
  guide.scrollTop = 0;
}

async function fillWholeGuide(details, place) {
  if (!details.open || place.childElementCount) return;
  try {
    wholeGuide ??= await call("GET", "/api/guide");
    place.replaceChildren(...blocks(wholeGuide));
  } catch (error) {
    lost(error);
  }
}

function blocks(list) {
  const made = [];
  let items = null;
  for (const block of list) {
    if (block.kind === "item") {
      if (items === null) made.push((items = make("ul")));
      items.append(make("li", {}, ...spans(block.spans)));
      continue;
    }
    items = null;
    if (block.kind === "table") made.push(table(block.rows));
    else made.push(make(block.kind === "paragraph" ? "p" : block.level > 2 ? "h4" : "h3", {}, ...spans(block.spans)));
  }
  return made;
}

function table([head, ...rows]) {
  const cells = (row, tag) => make("tr", {}, ...row.map((cell) => make(tag, tag === "th" ? { scope: "col" } : {}, ...spans(cell))));
  return make("table", {}, make("thead", {}, cells(head, "th")), make("tbody", {}, ...rows.map((row) => cells(row, "td"))));
}

function spans(list) {
  return list.map((span) => (span.style === "normal" ? span.text : make(span.style, {}, span.text)));
}

function switchGuide(open = at("guide-switch").getAttribute("aria-expanded") !== "true") {
  at("guide-switch").setAttribute("aria-expanded", String(open));
  document.querySelector("main").classList.toggle("no-guide", !open);
  kept.set("bench-guide", open ? "open" : "shut");
}
