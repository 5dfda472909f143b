// One case: the session with what was cited, and beside it the label, the votes and the verdicts.
const CAN_UNPACK = "DecompressionStream" in window;
const FOLD = 3000; // characters of one text that are shown at once

function caseView(data, ways) {
  const { attempts, judges, statements, labels } = data,
    box = byId("case"),
    packs = new Map();
  let stored = null,
    wanted = -1;
  byId("case-close").addEventListener("click", () => box.close());
  box.addEventListener("close", () => {
    history.replaceState(null, "", "#cases");
  });

  async function contentOf(n) {
    stored ??= dataOf("packs");
    const at = stored.at[n];
    const lacking = at < 0 ? "Left out to keep the page small." : CAN_UNPACK ? "" : "This browser cannot unpack it.";
    if (lacking) {
      const why = `${lacking} Read it with: bench show ${attempts.case[n]}/${attempts.attempt[n]}`;
      return { why, votes: {}, rulings: {}, said: {} };
    }
    const number = Math.floor(at / stored.size);
    if (!packs.has(number)) packs.set(number, unpack(stored.packs[number]));
    return (await packs.get(number))[at % stored.size];
  }

  return async function show(n, leading) {
    wanted = n;
    const content = await contentOf(n);
    if (wanted !== n) return; // another one was asked for meanwhile
    const name = `${attempts.case[n]}/${attempts.attempt[n]}`,
      place = attempts.place[n];
    byId("case-title").textContent = name;
    byId("case-facts").textContent = [
      attempts.stratum.names[attempts.stratum.at[n]],
      attempts.split.names[attempts.split.at[n]],
      `family ${attempts.family.names[attempts.family.at[n]]}`,
      content.harness,
      place,
    ]
      .filter(Boolean)
      .join(" · ");
    for (const [id, step] of [
      ["case-back", -1],
      ["case-on", 1],
    ]) {
      const other = ways.neighbours(n, step),
        button = byId(id);
      button.disabled = other === undefined;
      button.onclick = () => ways.view(other);
    }
    const cited = citations(content, judges);
    byId("case-session").replaceChildren(...session(content, cited));
    const asked = Object.keys(statements).filter((s) => ways.kindOf(labels[s][n]) !== "not asked");
    asked.sort((a, b) => Number(b === leading) - Number(a === leading));
    byId("case-sides").replaceChildren(...asked.map((s) => card(s, n, content)));
    if (!box.open) box.showModal();
    byId("case-session").scrollTop = 0;
    box.querySelector(".case-body").scrollTop = 0;
    box.dataset.shown = name;
  };

  function card(statement, n, content) {
    const { text, criteria } = statements[statement],
      label = labels[statement][n];
    const votes = (content.votes[statement] ?? []).map(([who, answer, why, evidence, also]) =>
      node(
        "div",
        { class: "said" },
        node("b", {}, `${who}: ${answer}`),
        ...cites(evidence),
        node("div", {}, why),
        ...Object.entries(also).map(([k, v]) => node("div", { class: "soft small" }, `${k}: ${v}`)),
      ),
    );
    const ruling = content.rulings[statement];
    const rows = judges
      .map((judge, j) => [judge, j])
      .filter(([judge]) => judge.verdicts[statement])
      .map(([judge, j]) =>
        verdict(judge, judge.verdicts[statement], content.said[`${j}/${statement}`] ?? [], n, label),
      );
    return node(
      "section",
      { class: "card" },
      node("h3", {}, statement),
      node("p", { class: "small" }, text),
      node(
        "details",
        {},
        node("summary", { class: "small" }, "criteria"),
        ...criteria.map(([answer, meaning]) => node("p", { class: "small" }, node("b", {}, `${answer}: `), meaning)),
      ),
      node("p", {}, "Label: ", node("b", {}, ways.textOf(label)), ruling ? " (adjudicated)" : ""),
      ...votes,
      ruling
        ? node("div", { class: "said" }, node("b", {}, `settled: ${ruling[0]}`), node("div", {}, ruling[1]))
        : null,
      node(
        "table",
        {},
        node(
          "thead",
          {},
          node("tr", {}, ...["judge", "verdict", "P(yes)"].map((t) => node("th", { scope: "col" }, t))),
        ),
        node("tbody", {}, ...rows),
      ),
    );
  }

  function verdict(judge, verdicts, samples, n, label) {
    const code = verdicts.said[n],
      off = ways.wrong(code, label),
      on = ways.right(code, label),
      p = verdicts.p?.[n];
    const more = samples.flatMap((s) => [
      ...cites(s.evidence ?? []),
      s.reason ? node("div", { class: "small" }, s.reason) : null,
      ...(s.quotes ?? []).map((q) => node("div", { class: "small soft" }, `“${q}”`)),
      s.detail ? node("div", { class: "small soft" }, s.detail) : null,
    ]);
    return node(
      "tr",
      {},
      node("th", { scope: "row" }, judge.name, ...more),
      node(
        "td",
        { class: off ? "wrong" : on ? "right" : "soft" },
        `${ways.textOf(code)}${off ? " ✗" : on ? " ✓" : ""}`,
      ),
      node("td", {}, p === null || p === undefined ? "" : p.toFixed(3)),
    );
  }

  function cites(numbers) {
    return numbers.map((number) =>
      node("button", { type: "button", class: "cite", click: () => jump(number) }, `#${number}`),
    );
  }

  function jump(number) {
    box.querySelectorAll(".event.here").forEach((event) => event.classList.remove("here"));
    const event = box.querySelector(`.event[data-number="${number}"]`);
    if (!event) return;
    event.classList.add("here");
    event.scrollIntoView({ block: "center" });
    event.focus({ preventScroll: true });
  }
}

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return JSON.parse(await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text());
}

function citations(content, judges) {
  // Who cites which event, and the words that judges quote.
  const by = new Map(),
    quotes = new Set();
  const add = (number, who) => by.set(number, (by.get(number) ?? new Set()).add(who));
  for (const votes of Object.values(content.votes))
    for (const [who, , , evidence] of votes) evidence.forEach((number) => add(number, who));
  for (const [place, samples] of Object.entries(content.said))
    for (const sample of samples) {
      (sample.evidence ?? []).forEach((number) => add(number, judges[place.split("/", 1)[0]].name));
      (sample.quotes ?? []).forEach((quote) => quotes.add(quote));
    }
  return { by, quotes: [...quotes].filter((quote) => quote.length > 3) };
}

function session(content, cited) {
  const query = node("div", {}, node("h3", {}, "Query"), node("div", { class: "query" }, content.query ?? ""));
  if (!content.events) return [query, node("p", { class: "gap" }, content.why)];
  const events = content.events.map(([number, facts, texts]) =>
    number === 0 ? node("p", { class: "gap" }, `${facts} events are not shown`) : eventOf(number, facts, texts, cited),
  );
  const answer =
    content.answer === null ? [] : [node("h3", {}, "Final answer"), node("div", { class: "query" }, content.answer)];
  return [query, node("h3", {}, `Session, ${content.events.filter(([n]) => n).length} events`), ...events, ...answer];
}

function eventOf(number, [kind, ...facts], texts, cited) {
  const who = cited.by.get(number),
    said = who ? node("span", { class: "by" }, ` · cited by ${[...who].join(", ")}`) : null;
  return node(
    "article",
    {
      class: `event${who ? " cited" : ""}`,
      "data-number": number,
      tabindex: -1,
      "aria-label": `event ${number}, ${kind}`,
    },
    node(
      "div",
      { class: "facts" },
      `#${number} `,
      node("b", {}, kind),
      facts.length ? ` · ${facts.join(" · ")}` : "",
      said,
    ),
    ...texts.flatMap(([name, text]) => [
      texts.length > 1 ? node("div", { class: "soft small" }, name) : null,
      folded(text, cited.quotes),
    ]),
  );
}

function folded(text, quotes) {
  const pre = node("pre", {}, ...marked(text.slice(0, FOLD), quotes));
  if (text.length > FOLD) {
    const rest = text.length - FOLD;
    const open = node(
      "button",
      {
        type: "button",
        click: () => {
          pre.replaceChildren(...marked(text, quotes));
        },
      },
      `show ${rest.toLocaleString("en")} more characters`,
    );
    pre.append("… ", open);
  }
  return pre;
}

function marked(text, quotes) {
  const parts = [];
  let from = 0;
  while (from < text.length) {
    let at = -1,
      hit = "";
    for (const quote of quotes) {
      const i = text.indexOf(quote, from);
      if (i >= 0 && (at < 0 || i < at)) {
        at = i;
        hit = quote;
      }
    }
    if (at < 0) break;
    parts.push(text.slice(from, at), node("mark", {}, hit));
    from = at + hit.length;
  }
  return [...parts, text.slice(from)];
}
