// Two votes that differ, side by side, each with a mark of its own in the session; and the agreement of a pilot.

const SIGNS = "ABCDEFGH";
const sign = (index) => SIGNS[index] ?? String(index + 1);
const badge = (index) => make("span", { class: `badge m${index % 4}`, "aria-hidden": "true" }, sign(index));

function voteCards(votes) {
  return make("div", { class: "votes" }, ...votes.map((vote, index) => {
    const events = vote.evidence.map((number) => make("button", { type: "button", "aria-label": `Go to event ${number}`, onclick: () => jumpTo(number) }, `#${number}`));
    const also = vote.also.flatMap(({ name, meaning }) => [make("dt", {}, name.replaceAll("_", " ")), make("dd", {}, meaning)]);
    return make("section", { class: `vote m${index % 4}`, "aria-label": `Vote ${sign(index)}, of ${vote.annotator}` },
      make("h2", {}, badge(index), vote.annotator), make("p", { class: "says" }, vote.answer), make("p", {}, vote.rationale),
      also.length ? make("dl", {}, ...also) : null, events.length ? make("div", { class: "chips" }, ...events) : make("p", { class: "soft" }, "cites no event"));
  }));
}

function paintVotes(votes) {
  for (const { number, place } of session.events) {
    const citing = votes.map((vote, index) => (vote.evidence.includes(number) ? index : -1)).filter((index) => index >= 0);
    place.classList.toggle("cited", citing.length > 0);
    place.querySelector(".badges").replaceChildren(...citing.flatMap((index) => [badge(index), make("span", { class: "unseen" }, `cited by ${votes[index].annotator}`), " "]));
  }
}

function showEnd(state) {
  const what = state.work === "rulings" ? "Every item with votes that differ is settled." : "Nothing is left to vote on.";
  const passed = state.passed_over ? [make("p", { class: "soft" }, `${count(state.passed_over)} attempts were passed over: their sessions are not at hand, or they have votes of the other kind.`)] : [];
  const agreement = make("div");
  const button = make("button", { type: "button", onclick: () => askAgreement(agreement) }, "Show the agreement");
  at("question").replaceChildren(make("div", { class: "end" }, make("h1", { id: "statement", tabindex: "-1" }, what),
    make("p", {}, `Thank you, ${state.person}. ${count(state.done)} of ${count(state.total)} answered, ${count(state.sitting)} in this sitting. You can close this page; the terminal ends with Ctrl-C.`),
    ...passed,
    ...(state.work === "pilot" ? [make("p", {}, "The pilot\u2019s agreement is told when everybody of this sitting is done. After that nothing can be undone."), button, agreement] : [])));
}

async function askAgreement(place) {
  try {
    const told = await call("GET", "/api/agreement");
    place.replaceChildren(agreementTable(told));
    at("undo").disabled = true;
    sitting.state.previous = null;
  } catch (error) {
    if (error instanceof Refused && error.status === 409) place.replaceChildren(make("p", { role: "status" }, "Others are still voting. Ask again later."));
    else lost(error);
  }
}

function agreementTable(told) {
  const head = ["statement", "stratum", "items", "raw agreement", "alpha", "alpha without unclear"];
  const rows = told.rows.map((row) => [row.statement, row.stratum, row.items, row.raw, row.alpha, row.without_unclear]);
  return make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Agreement" }, make("p", {}, `Annotators: ${told.annotators.join(", ")}. Each figure with its 95 % interval, over families of cases.`),
    make("table", {}, make("thead", {}, make("tr", {}, ...head.map((word) => make("th", { scope: "col" }, word)))),
      make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map((cell) => make("td", {}, String(cell))))))));
}
