// The session: events with their number, kind and origin; long texts folded, and never more of one on the page than it can bear.

const STEP = 20_000; // characters of one text that are laid out at once
const SPOKEN = new Set(["prompt", "message"]);
const QUIET = new Set(["reasoning", "system", "usage", "other"]);

const session = { item: null, events: [], texts: [], here: -1 };

class LongText {
  constructor(name, text, lines, characters, place) {
    this.text = text;
    this.place = place; // the element that a hit in this text brings into view
    this.folded = foldAt(text, lines, characters);
    this.from = 0;
    this.to = this.folded;
    this.hits = [];
    this.now = -1;
    this.shown = make("pre");
    this.more = make("div", { class: "more" });
    this.element = make("div", { class: "text" }, name ? make("span", { class: "name" }, name) : null, this.shown, this.more);
    this.draw();
  }

  get isWhole() {
    return this.from === 0 && this.to === this.text.length;
  }

  open() {
    this.from = 0;
    this.to = Math.min(this.text.length, Math.max(this.to, STEP));
    this.draw();
  }

  fold() {
    this.from = 0;
    this.to = this.folded;
    this.draw();
  }

  widen() {
    this.to = Math.min(this.text.length, this.to + STEP);
    this.draw();
  }

  reveal(start) {
    if (start >= this.from && start < this.to) return;
    const near = start < STEP;
    this.from = near ? 0 : start - 2_000;
    this.to = Math.min(this.text.length, near ? Math.max(this.to, start + 2_000) : start + 2_000);
    this.draw();
  }

  draw() {
    const pieces = [];
    let done = this.from;
    this.hits.forEach(([start, end], index) => {
      if (end <= this.from || start >= this.to) return;
      pieces.push(this.text.slice(done, start), make("mark", index === this.now ? { class: "now" } : {}, this.text.slice(start, end)));
      done = end;
    });
    pieces.push(this.text.slice(done, Math.max(done, this.to)));
    this.shown.replaceChildren(...pieces);
    this.more.replaceChildren(...this.buttons());
  }

  buttons() {
    const left = this.text.length - this.to;
    const button = (words, action) => make("button", { type: "button", class: "plain", onclick: () => action() }, words);
    const found = [];
    if (this.from > 0) found.push(button(`Show from the start (${count(this.from)} characters before)`, () => this.open()));
    if (left > STEP) found.push(button(`Show ${count(STEP)} more of ${count(this.text.length)} characters`, () => this.widen()));
    else if (left > 0) found.push(button(`Show all ${count(lineCount(this.text))} lines`, () => this.widen()));
    if (this.to > this.folded) found.push(button("Fold", () => this.fold()));
    return found;
  }
}

function foldAt(text, lines, characters) {
  let end = -1;
  for (let line = 0; line < lines; line++) {
    end = text.indexOf("\n", end + 1);
    if (end < 0 || end > characters) break;
  }
  const cut = end < 0 ? text.length : end;
  const fold = Math.min(cut, characters);
  return text.length - fold < 200 && text.length < characters + 200 && end < 0 ? text.length : fold;
}

function lineCount(text) {
  let lines = 1;
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) lines++;
  return lines;
}

const count = (number) => number.toLocaleString("en");

function showSession(told, picks) {
  Object.assign(session, { item: told.item, events: [], texts: [], here: -1 });
  const made = [frame("What was asked", told.query, `in ${told.harness}`)];
  for (const event of told.events) {
    if (event.cut_before) made.push(cut(event.cut_before));
    made.push(eventElement(event, picks));
  }
  if (told.cut_after) made.push(cut(told.cut_after));
  if (told.answer !== null) made.push(frame("Final answer", told.answer));
  at("events").replaceChildren(...made);
  at("events").scrollTop = 0;
  at("length").textContent = `of ${count(told.total)}`;
  at("jump").value = "";
  clearSearch();
}

function frame(title, text, after = "") {
  const place = make("div", { class: "frame" }, make("h2", {}, after ? `${title}, ${after}` : title));
  const long = new LongText("", text, 24, 3_000, place);
  session.texts.push(long);
  place.append(long.element);
  return place;
}

const cut = (number) => make("p", { class: "cut" }, `${count(number)} events are not shown`);

function eventElement(event, picks) {
  const human = event.origin === "human" ? " human" : "";
  const title = `Event ${event.number}, ${event.kind}${event.origin ? `, ${event.origin}` : ""}`;
  const place = make("article", { class: `event${human}`, tabindex: "-1", "aria-label": title });
  const mood = SPOKEN.has(event.kind) ? " spoken" : QUIET.has(event.kind) ? " quiet" : "";
  const head = make("div", { class: "head" },
    make("span", { class: "kind" }, event.kind.replace("_", " ")),
    event.origin ? make("span", { class: "origin" }, event.origin) : null,
    event.facts ? make("span", { class: "facts" }, event.facts) : null,
    make("span", { class: "badges" }));
  const texts = event.texts.map(({ name, text }) => new LongText(name === "text" ? "" : name, text, human ? 40 : 14, human ? 4_000 : 1_600, place));
  place.append(gutter(event, title, picks), make("div", { class: `what${mood}` }, head, ...texts.map((text) => text.element)));
  const index = session.events.push({ number: event.number, place, texts }) - 1;
  session.texts.push(...texts);
  place.addEventListener("focusin", () => stand(index));
  if (picks) place.addEventListener("click", (click) => clicked(click, event.number));
  return place;
}

function gutter(event, title, picks) {
  const number = make("span", {}, String(event.number));
  if (!picks) return make("div", { class: "gutter" }, make("div", { class: "pick" }, number));
  const label = `${title}: use as evidence`;
  return make("div", { class: "gutter" }, make("button", { type: "button", class: "pick", "aria-pressed": "false", "aria-label": label, tabindex: "-1" },
    number, make("span", { class: "tick", "aria-hidden": "true" }, "\u2713")));
}

function clicked(click, number) {
  const button = click.target.closest("button");
  if ((button && !button.classList.contains("pick")) || (!button && String(getSelection()))) return;
  toggleEvidence(number);
}

function stand(index) {
  session.events[session.here]?.place.classList.remove("here");
  session.here = index;
  session.events[index]?.place.classList.add("here");
}

function goTo(index) {
  if (!session.events.length) return;
  const next = Math.max(0, Math.min(session.events.length - 1, index));
  const { place } = session.events[next];
  stand(next);
  place.focus({ preventScroll: true });
  place.scrollIntoView({ block: place.offsetHeight > at("events").clientHeight ? "start" : "nearest" });
}

function jumpTo(number) {
  const index = session.events.findIndex((event) => event.number >= number);
  goTo(index < 0 ? session.events.length - 1 : index);
  session.events[session.here]?.place.scrollIntoView({ block: "start" });
}

function foldHere() {
  const texts = session.events[session.here]?.texts ?? [];
  const open = texts.some((text) => !text.isWhole && text.to <= text.folded);
  texts.forEach((text) => (open ? text.open() : text.fold()));
}

function paintEvidence(numbers) {
  const chosen = new Set(numbers);
  for (const { number, place } of session.events) {
    const picked = chosen.has(number);
    place.classList.toggle("picked", picked);
    place.querySelector("button.pick")?.setAttribute("aria-pressed", String(picked));
  }
}
