// The keyboard: every part of the work has a key, and no key acts while a text is written.

const KEYS = [
  ["y n u", "yes, no, unclear"], ["1 \u2026 9", "level, option, or what is asked along"],
  ["j k", "next, previous event"], ["e", "event as evidence, on and off"],
  ["o", "open or fold the event"], ["#", "go to an event by number"],
  ["/", "search"], [". ,", "next, previous hit"],
  ["r", "write the reason"], ["Esc", "leave a text field"],
  ["Enter", "cast"], ["Shift Enter", "a new line in a text"],
  ["z", "undo the last answer"], ["g", "guide on and off"],
  ["?", "these keys"],
];

function pressed(key) {
  if (key.ctrlKey || key.metaKey || key.altKey || key.isComposing || at("keys").open) return;
  if (isText(key.target)) return pressedInText(key);
  const action = actionOf(key);
  if (!action) return;
  key.preventDefault();
  action();
}

const isText = (target) => target.matches("textarea, select, input:not([type=radio], [type=checkbox])");

function pressedInText(key) {
  if (key.key === "Escape") {
    key.preventDefault(); // a search field would be emptied
    key.target.blur();
    at("question").focus();
  } else if (key.key === "Enter" && !key.shiftKey && key.target.closest("#question form") && !key.target.matches("select")) {
    key.preventDefault();
    send();
  }
}

const send = () => document.querySelector("#question form")?.requestSubmit();

function actionOf(key) {
  const plain = {
    j: () => goTo(session.here + 1), k: () => goTo(session.here - 1), o: foldHere, g: () => switchGuide(), z: undo,
    e: () => session.events[session.here] && toggleEvidence(session.events[session.here].number),
    "/": () => at("find").select(), "#": () => at("jump").select(), ".": () => nextHit(1), ",": () => nextHit(-1),
    r: () => at("rationale")?.focus(), "?": showKeys,
  };
  if (key.key === "Enter") return key.target.closest("button, summary, a") ? null : send;
  return plain[key.key] ?? chooser(key.key);
}

function chooser(key) {
  const options = [...document.querySelectorAll("#question .option")].filter((option) => option.dataset.key === key);
  return options.length ? () => options[0].querySelector("input").click() : null;
}

function showKeys() {
  const asked = make("input", { type: "checkbox", checked: kept.get("bench-pause") !== "never", onchange: () => kept.set("bench-pause", asked.checked ? "remind" : "never") });
  at("keys").replaceChildren(make("h2", { id: "keys-title" }, "Keys"),
    make("dl", {}, ...KEYS.flatMap(([names, what]) => [make("dt", {}, ...names.split(" ").flatMap((name) => [make("kbd", {}, name), " "])), make("dd", {}, what)])),
    make("label", {}, asked, "Remind me to pause after 50 minutes"),
    make("button", { type: "button", onclick: () => at("keys").close() }, "Close"));
  at("keys").showModal();
}
