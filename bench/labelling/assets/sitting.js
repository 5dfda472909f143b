// The sitting: what is asked next, undo, what is said when the server is gone, and the hint to pause.

const WORK = { label: "Labelling", check: "Third votes", pilot: "Pilot", rulings: "Adjudication" };
const WORKED = 50 * 60_000;
const RESTED = 5 * 60_000;

const sitting = { state: null, lost: false, shut: false, sure: false, poll: 0, began: Date.now(), last: Date.now() };

async function show(state, said = "") {
  const fresh = state.current !== null && session.item !== state.current.item;
  const told = fresh ? await call("GET", `/api/session/${state.current.item}`) : null; // then all changes at once
  sitting.state = state;
  sitting.sure = false;
  showProgress(state);
  at("undo").disabled = state.previous === null;
  document.querySelector("main").classList.toggle("ended", state.current === null);
  if (state.current === null) {
    question.current = null;
    showEnd(state);
  } else {
    if (fresh) showSession(told, state.work !== "rulings");
    showQuestion(state);
    if (state.work === "rulings") paintVotes(state.current.votes);
    showGuide(state.current.asked, state.guide_version);
  }
  at("note").hidden = true;
  if (said) tell(said, false);
  if (said) at("aloud").textContent = fresh ? `${said}. A new session` : said;
  at("statement").focus({ preventScroll: true });
}

// What was just done: shown in the head of the page, and read aloud.
function tell(words, aloud = words !== "") {
  at("saved").textContent = words;
  if (aloud) at("aloud").textContent = words;
}

function showProgress(state) {
  at("title").textContent = state.title;
  at("work").textContent = WORK[state.work];
  at("person").textContent = state.person;
  document.title = `${WORK[state.work]} \u00b7 ${state.title}`;
  at("bar").max = Math.max(1, state.total);
  at("bar").value = state.done;
  const pace = state.seconds_each === null ? "" : ` \u00b7 ${pacing(state.seconds_each)} each`;
  at("pace").textContent = `${count(state.done)} of ${count(state.total)} \u00b7 ${count(state.sitting)} this sitting${pace}`;
}

const pacing = (seconds) => (seconds < 90 ? `${Math.round(seconds)} s` : `${(seconds / 60).toFixed(1)} min`);

async function refresh() {
  try {
    const state = await call("GET", "/api/state");
    found();
    await show(state);
  } catch (error) {
    lost(error);
    if (!sitting.state) setTimeout(refresh, TRY_AGAIN);
  }
}

async function undo() {
  const previous = sitting.state?.previous;
  if (!previous) return;
  if (!previous.this_sitting && !sitting.sure) {
    sitting.sure = true;
    at("note").textContent = "The last answer is from an earlier sitting. Undo once more takes it back all the same.";
    at("note").hidden = false;
    return;
  }
  while (draft.saving) await draft.saving;
  await saveDraft();
  try {
    const state = await call("POST", "/api/take-back", { item: previous.item, statement: previous.statement });
    found();
    await show(state, "Taken back");
  } catch (error) {
    if (error instanceof Refused && error.status === 409) await refresh();
    else lost(error);
  }
}

// --- the server is gone, or does not know us ---

function lost(error, also = "") {
  if (!(error instanceof Gone) && !(error instanceof Refused)) throw error;
  sitting.lost = true;
  const old = error instanceof Refused && error.status === 403;
  sitting.shut = old;
  const command = sitting.state?.work === "rulings" ? "bench adjudicate --web" : "bench label --web";
  const start = `${command} \u2026 --port ${location.port}`;
  const words = old ? "The server was started anew. Open the address that the terminal printed last; what you typed goes along."
    : error instanceof Gone ? `The server does not answer. What you typed stays here, and this page tries again. If it was ended, start it with ${start} and open the new address.`
      : `The server refused: ${error.message}`;
  if (at("banner").textContent !== `${also} ${words}`.trim()) at("banner").textContent = `${also} ${words}`.trim();
  at("banner").hidden = false;
  tell("Not saved", false);
  clearTimeout(sitting.poll);
  if (error instanceof Gone) sitting.poll = setTimeout(lookAgain, TRY_AGAIN);
}

async function lookAgain() {
  try {
    await call("GET", "/api/state");
    found();
    saveDraft();
  } catch (error) {
    lost(error);
  }
}

function found() {
  if (!sitting.lost) return;
  sitting.lost = sitting.shut = false;
  clearTimeout(sitting.poll);
  at("banner").hidden = true;
  at("banner").textContent = "";
  tell("Connected again");
}

// --- a pause ---

function lookAtClock() {
  if (kept.get("bench-pause") === "never" || Date.now() - sitting.began < WORKED || !at("pause").hidden) return;
  const end = (never) => {
    if (never) kept.set("bench-pause", "never");
    sitting.began = Date.now();
    at("pause").hidden = true;
  };
  at("pause").replaceChildren(make("p", {}, "Fifty minutes of reading: a short pause keeps judgment even. Everything is kept."),
    make("button", { type: "button", onclick: () => end(false) }, "All right"), make("button", { type: "button", class: "plain", onclick: () => end(true) }, "Do not remind me"));
  at("pause").hidden = false;
}

function active() {
  if (Date.now() - sitting.last > RESTED) sitting.began = Date.now();
  sitting.last = Date.now();
}

function begin() {
  document.addEventListener("keydown", pressed);
  for (const kind of ["keydown", "pointerdown"]) document.addEventListener(kind, active);
  at("undo").addEventListener("click", undo);
  at("guide-switch").addEventListener("click", () => switchGuide());
  at("keys-open").addEventListener("click", showKeys);
  addEventListener("pagehide", saveOnLeaving);
  document.addEventListener("visibilitychange", () => document.hidden && saveDraft());
  addEventListener("beforeunload", (event) => sitting.lost && draft.kept !== draft.version && event.preventDefault());
  setInterval(lookAtClock, 15_000);
  if (kept.get("bench-guide") === "shut") switchGuide(false);
  listenToSearch();
  refresh();
}

begin();
