// The question: one statement, its answers, evidence, reason; kept as a draft while it is filled.

const SAVE_AFTER = 400; // milliseconds after a change; further changes do not put it off
const TRY_AGAIN = 1_500;
const LETTERS = { yes: "y", no: "n", unclear: "u" };

const emptyForm = () => ({ answer: null, evidence: [], rationale: "", also: {}, error_category: "", severity: "" });
const question = { current: null, rulings: false, values: emptyForm(), parts: {}, busy: false };
const draft = { version: 0, kept: 0, timer: 0, saving: null, told: false };

function showQuestion(state) {
  const current = state.current;
  Object.assign(question, { current, rulings: state.work === "rulings", values: { ...emptyForm(), ...current.draft }, parts: {}, busy: false });
  clearTimeout(draft.timer);
  Object.assign(draft, { timer: 0, kept: draft.version, told: false });
  const left = kept.get(leftName());
  const form = make("form", { novalidate: true, autocomplete: "off", onsubmit: submitted },
    make("div", { class: "fields" }, make("div", { id: "there" }),
      make("p", { class: "step" }, question.rulings ? "Votes differ on this statement" : `Statement ${current.statement} of ${current.statements}`),
      make("h1", { id: "statement", tabindex: "-1" }, current.asked.text),
      ...(question.rulings ? [voteCards(current.votes)] : []),
      answers(), make("div", { id: "also" }), ...(question.rulings ? [] : [evidence()]), rationale(),
      ...(question.rulings ? [] : [errorFields()])),
    make("div", { class: "send" }, make("button", { type: "submit" }, question.rulings ? "Settle it" : "Cast vote", make("kbd", {}, "Enter"))));
  at("question").replaceChildren(form);
  if (left !== null) takeOver(left);
  showAlso();
  showEvidence();
  tell(current.draft || left !== null ? "Draft restored" : "");
}

// What an earlier page could not hand to the server.
function takeOver(left) {
  try {
    question.values = { ...emptyForm(), ...JSON.parse(left) };
  } catch {
    return;
  }
  const { answer, rationale } = question.values;
  at("rationale").value = rationale;
  for (const input of document.getElementsByName("answer")) input.checked = input.value === answer;
  touched();
}

const leftName = () => `bench-unsent:${sitting.state.work}:${sitting.state.person}:${question.current.item}:${question.current.statement}`;

function answers() {
  const { asked } = question.current;
  const options = asked.answers.map(({ name, meaning }, index) =>
    option("answer", name, meaning, (asked.yes_no && LETTERS[name]) || (name === "unclear" ? "u" : String(index + 1)), question.values.answer === name, choose));
  return make("fieldset", { id: "answer", "aria-describedby": "wrong-answer" },
    make("legend", {}, question.rulings ? "The settled answer" : "Your answer"), ...options, wrong("answer"));
}

function option(group, name, meaning, key, checked, chosen) {
  const id = `${group}-${name}`;
  const input = make("input", { type: "radio", name: group, value: name, id, checked, onchange: () => chosen(name), "aria-describedby": `${id}-means` });
  return make("label", { class: "option", for: id, "data-key": key }, input, make("b", {}, name), key ? make("kbd", { "aria-hidden": "true" }, key) : "",
    make("span", { class: "meaning", id: `${id}-means` }, meaning));
}

const wrong = (field) => make("span", { class: "wrong", id: `wrong-${field}`, "data-field": field });

function choose(name) {
  question.values.answer = name;
  showAlso();
  touched();
}

function showAlso() {
  let digits = question.current.asked.yes_no;
  const fields = question.rulings ? [] : question.current.asked.also.filter((field) => field.when === question.values.answer);
  at("also").replaceChildren(...fields.map((field) => {
    const made = alsoField(field, digits && field.options !== null);
    if (field.options !== null) digits = false;
    return made;
  }));
}

function alsoField(field, digits) {
  const value = question.values.also[field.name] ?? "";
  const set = (text) => {
    question.values.also = { ...question.values.also, [field.name]: text };
    touched();
  };
  const name = `also.${field.name}`;
  const label = [field.name.replaceAll("_", " "), make("span", { class: "soft" }, ` ${field.meaning}${field.required ? "" : " (optional)"}`)];
  if (field.options === null) {
    const text = make("textarea", { id: name, rows: "2", oninput: () => set(text.value), "aria-describedby": `wrong-${name}`, "aria-required": String(field.required) });
    text.value = value;
    return make("div", { class: "field" }, make("label", { class: "label", for: name }, ...label), text, wrong(name));
  }
  const options = field.options.map((one, index) => option(name, one.name, one.meaning, digits ? String(index + 1) : "", value === one.name, set));
  return make("fieldset", { class: "small", id: name }, make("legend", {}, ...label), ...options, wrong(name));
}

function evidence() {
  const chips = make("div", { class: "chips", id: "evidence", role: "group", "aria-label": "Evidence" });
  return make("div", { class: "field" },
    make("span", { class: "label" }, "Evidence ", make("span", { class: "soft" }, "click the events that decided it, or "), make("kbd", {}, "e")), chips, wrong("evidence"));
}

function showEvidence() {
  if (question.rulings) return;
  const { evidence: numbers } = question.values;
  const chip = (number) => make("span", { class: "mark" },
    make("button", { type: "button", "aria-label": `Go to event ${number}`, onclick: () => jumpTo(number) }, `#${number}`),
    make("button", { type: "button", "aria-label": `Event ${number} is no evidence`, onclick: () => toggleEvidence(number) }, "\u00d7"));
  at("evidence").replaceChildren(...(numbers.length ? numbers.map(chip) : [make("span", { class: "soft" }, "none yet")]));
  paintEvidence(numbers);
}

function toggleEvidence(number) {
  if (!question.current || question.rulings) return;
  const had = question.values.evidence.includes(number);
  const others = question.values.evidence.filter((other) => other !== number);
  question.values.evidence = (had ? others : [...others, number]).sort((a, b) => a - b);
  showEvidence();
  touched();
}

function rationale() {
  const text = make("textarea", { id: "rationale", rows: "3", "aria-required": "true", "aria-describedby": "wrong-rationale", oninput: () => {
    question.values.rationale = text.value;
    touched();
  } });
  text.value = question.values.rationale;
  const words = question.rulings ? ["Reason "] : ["Why ", make("span", { class: "soft" }, "in one or two sentences ")];
  return make("div", { class: "field" }, make("label", { class: "label", for: "rationale" }, ...words, make("kbd", { "aria-hidden": "true" }, "r")), text, wrong("rationale"));
}

function errorFields() {
  const { values } = question;
  const category = make("input", { type: "text", id: "error_category", "aria-describedby": "wrong-error_category", oninput: () => {
    values.error_category = category.value;
    touched();
  } });
  category.value = values.error_category;
  const severity = make("select", { id: "severity", onchange: () => {
    values.severity = severity.value;
    touched();
  } }, ...["", "minor", "major", "critical"].map((name) => make("option", { value: name, selected: name === values.severity }, name || "none")));
  return make("details", { open: Boolean(values.error_category || values.severity) }, make("summary", {}, "An error of the agent (optional)"),
    make("div", { class: "two" },
      make("div", {}, make("label", { class: "label", for: "error_category" }, "Category, one word"), category, wrong("error_category")),
      make("div", {}, make("label", { class: "label", for: "severity" }, "Severity"), severity, wrong("severity"))));
}

// --- the draft ---

function touched() {
  draft.version++;
  tell("");
  if (!draft.timer) draft.timer = setTimeout(saveDraft, SAVE_AFTER);
}

const sent = () => ({ item: question.current.item, statement: question.current.statement, form: wellFormed(question.values) });

// Half of a character, as a paste can leave it, is no text that a file can hold.
const wellFormed = (values) => JSON.parse(JSON.stringify(values, (_, value) => (typeof value === "string" && value.toWellFormed ? value.toWellFormed() : value)));

async function saveDraft() {
  clearTimeout(draft.timer);
  draft.timer = 0;
  if (draft.saving || !question.current || draft.kept === draft.version) return;
  draft.saving = handOver(draft.version, leftName());
  await draft.saving;
  draft.saving = null;
  if (draft.kept !== draft.version && !draft.timer && !sitting.shut) draft.timer = setTimeout(saveDraft, sitting.lost ? TRY_AGAIN : SAVE_AFTER);
}

async function handOver(version, name) {
  try {
    await call("PUT", "/api/draft", sent());
    found();
    draft.kept = Math.max(draft.kept, version);
    kept.drop(name);
    if (draft.kept !== draft.version) return;
    tell("Draft saved", !draft.told); // aloud once for each question: a voice after every pause would tire
    draft.told = true;
  } catch (error) {
    if (question.current && name === leftName()) kept.set(name, JSON.stringify(question.values));
    lost(error);
  }
}

function saveOnLeaving() {
  if (question.current && draft.kept !== draft.version) call("PUT", "/api/draft", sent(), true).catch(() => kept.set(leftName(), JSON.stringify(question.values)));
}

// --- the answer ---

async function submitted(event) {
  event.preventDefault();
  await answer((place) => call("POST", "/api/answer", place));
}

// Deliberately, after the other answer was shown.
async function replaceThere() {
  await answer(async (place) => {
    await call("POST", "/api/take-back", { item: place.item, statement: place.statement });
    return call("POST", "/api/answer", place);
  });
}

async function answer(give) {
  if (question.busy || !question.current) return;
  question.busy = true;
  showWanted({});
  const name = leftName();
  try {
    const state = await give(sent());
    found();
    kept.drop(name);
    draft.kept = draft.version;
    await show(state, question.rulings ? "Settled" : "Vote kept");
  } catch (error) {
    if (error instanceof Refused && error.status === 422) showWanted(error.told.wanted);
    else if (error instanceof Refused && error.status === 409) showThere(error.told);
    else lost(error, "Nothing was cast yet.");
  } finally {
    question.busy = false;
  }
}

function showWanted(wanted) {
  for (const place of document.querySelectorAll(".wrong")) {
    const told = wanted[place.dataset.field] ?? "";
    place.textContent = told;
    const field = at(place.dataset.field);
    if (told) field?.setAttribute("aria-invalid", "true");
    else field?.removeAttribute("aria-invalid");
  }
  const first = Object.keys(wanted)[0];
  const field = first && (at(first)?.matches("fieldset") ? at(first).querySelector("input") : at(first));
  if (first === "error_category" || first === "severity") field.closest("details").open = true;
  field?.focus();
  field?.scrollIntoView({ block: "nearest" });
}

function showThere(told) {
  const what = told.there ? [make("p", {}, `It was answered in another tab or terminal: ${told.there.answer}. \u201c${told.there.rationale}\u201d`),
    make("p", {}, "That answer stays, unless you replace it.")] : [make("p", {}, told.error)];
  at("there").replaceChildren(make("div", { class: "there", role: "alert" }, ...what,
    make("button", { type: "button", id: "go-on", onclick: () => refresh() }, "Go on"),
    told.there ? make("button", { type: "button", onclick: replaceThere }, "Replace it with mine") : null));
  at("there").scrollIntoView({ block: "nearest" });
  at("go-on").focus();
}
