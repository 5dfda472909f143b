// The disagreement browser: who said what about which item. Filters run over the embedded columns.
const PAGE_ROWS = 50;
const ANY = "*";

function cases(data) {
  const { attempts, judges, statements, labels, codes } = data,
    count = attempts.case.length;
  const kindOf = (code) => codes[code][0],
    textOf = (code) => {
      const [kind, text] = codes[code];
      return kind === "answer" ? text : text ? `${kind}: ${text}` : kind;
    };
  const nameOf = (n) => `${attempts.case[n]}/${attempts.attempt[n]}`;
  const field = (id) => byId(`f-${id}`),
    names = Object.keys(statements);
  const reported = new Set(attempts.split.names.flatMap((name, n) => (name === "development" ? [] : [n])));
  let found = [],
    first = 0;

  const options = (select, pairs) => select.append(...pairs.map(([value, text]) => node("option", { value }, text)));
  options(
    field("statement"),
    names.map((name) => [name, name]),
  );
  options(field("stratum"), [[ANY, "all"], ...attempts.stratum.names.map((name, n) => [n, name])]);
  options(field("split"), [
    ["reported", "reported rows"],
    [ANY, "all"],
    ...attempts.split.names.map((name, n) => [n, name]),
  ]);
  const said = [
    ...new Set(judges.flatMap((j) => Object.values(j.verdicts).flatMap((v) => [...new Set(v.said)]))),
  ].filter((c) => kindOf(c) !== "not asked");
  const given = [...new Set(names.flatMap((name) => [...new Set(labels[name])]))].filter(
    (c) => kindOf(c) !== "not asked",
  );
  options(field("label"), [[ANY, "any"], ...given.map((c) => [c, textOf(c)])]);
  for (const side of ["a", "b"]) {
    options(field(side), [[ANY, "any judge"], ...judges.map((judge, n) => [n, judge.name])]);
    options(field(`${side}-says`), [
      [ANY, "anything"],
      ["right", "as the label"],
      ["wrong", "not as the label"],
      ...said.map((c) => [c, textOf(c)]),
    ]);
  }

  const wrong = (code, label) => kindOf(code) === "answer" && kindOf(label) === "answer" && code !== label;
  const right = (code, label) => kindOf(code) === "answer" && kindOf(label) === "answer" && code === label;

  function says(side, statement) {
    const who = field(side).value,
      what = field(`${side}-says`).value;
    if (what === ANY && who === ANY) return () => true;
    const columns = (who === ANY ? judges : [judges[who]])
      .map((judge) => judge.verdicts[statement]?.said)
      .filter(Boolean);
    const fits =
      what === "right"
        ? right
        : what === "wrong"
          ? wrong
          : (code) => (what === ANY ? kindOf(code) !== "not asked" : code === what);
    return (n, label) => columns.some((column) => fits(column[n], label));
  }

  // Whether an attempt is among those that stratum, rows and the search words leave.
  function place() {
    const [stratum, split] = [field("stratum").value, field("split").value];
    const wanted = field("id").value.trim().toLowerCase();
    const inStratum = (n) => stratum === ANY || attempts.stratum.at[n] === Number(stratum);
    const inRows = (n) =>
      split === ANY ||
      (split === "reported" ? reported.has(attempts.split.at[n]) : attempts.split.at[n] === Number(split));
    const named = (n) => `${nameOf(n)} ${attempts.family.names[attempts.family.at[n]]}`.toLowerCase().includes(wanted);
    return (n) => inStratum(n) && inRows(n) && (!wanted || named(n));
  }

  const SHAPES = {
    "*": () => true,
    split: ({ off, on }) => off > 0 && on > 0,
    "all-wrong": ({ off, on }) => off > 0 && on === 0,
  };

  function search() {
    const statement = field("statement").value;
    const [column, label] = [labels[statement], field("label").value];
    const [here, a, b] = [place(), says("a", statement), says("b", statement)];
    const asked = judges.map((judge) => judge.verdicts[statement]?.said).filter(Boolean);
    const shape = SHAPES[field("shape").value];
    found = [];
    for (let n = 0; n < count; n++) {
      const mine = column[n];
      if (kindOf(mine) === "not asked" || (label !== ANY && mine !== label) || !here(n)) continue;
      if (!a(n, mine) || !b(n, mine)) continue;
      const item = { n, off: 0, on: 0 };
      for (const verdicts of asked) {
        if (wrong(verdicts[n], mine)) item.off++;
        else if (right(verdicts[n], mine)) item.on++;
      }
      if (shape(item)) found.push(item);
    }
    if (field("order").value === "wrong") found.sort((x, y) => y.off - x.off || x.n - y.n);
    first = 0;
    show();
  }

  function show() {
    const statement = field("statement").value,
      seated = judges.map((judge, n) => [n, judge]).filter(([, judge]) => judge.verdicts[statement]);
    const head = node(
      "tr",
      {},
      node("th", { scope: "col" }, "attempt"),
      node("th", { scope: "col" }, "label"),
      node("th", { scope: "col" }, "wrong"),
      ...seated.map(([, judge]) => node("th", { scope: "col", class: "judge m" }, judge.name)),
    );
    const rows = found.slice(first, first + PAGE_ROWS).map(({ n, off, on }) => {
      const mine = labels[statement][n],
        name = nameOf(n);
      return node(
        "tr",
        {},
        node("th", { scope: "row" }, node("button", { type: "button", click: () => view(n) }, name)),
        node("td", {}, textOf(mine)),
        node("td", { class: "tight" }, `${off} of ${off + on}`),
        ...seated.map(([, judge]) => cell(judge.verdicts[statement].said[n], mine)),
      );
    });
    byId("matrix").replaceChildren(node("thead", {}, head), node("tbody", {}, ...rows));
    const last = Math.min(first + PAGE_ROWS, found.length);
    byId("found").textContent = found.length
      ? `${(first + 1).toLocaleString("en")} to ${last.toLocaleString("en")} of ${found.length.toLocaleString("en")} items`
      : "No item fits these filters.";
    byId("page-back").disabled = first === 0;
    byId("page-on").disabled = last >= found.length;
  }

  function cell(code, label) {
    const kind = kindOf(code),
      text = textOf(code),
      glyph = kind === "answer" ? text.slice(0, 3) : kind === "not asked" ? "" : "–";
    return node(
      "td",
      { class: `v m${wrong(code, label) ? " wrong" : ""}`, title: kind === "answer" ? false : text },
      glyph,
    );
  }

  function view(n) {
    location.hash = `case=${attempts.case[n]}/${attempts.attempt[n]}`;
  }

  const shown = caseView(data, {
    textOf,
    kindOf,
    wrong,
    right,
    neighbours: (n, step) => {
      const at = found.findIndex((x) => x.n === n);
      return at < 0 ? undefined : found[at + step]?.n;
    },
    view,
  });
  function follow() {
    const name = location.hash.match(/^#case=([\w.-]+)\/([\w.-]+)$/); // ids are plain words: nothing is encoded
    const n = name ? attempts.case.findIndex((id, i) => id === name[1] && attempts.attempt[i] === name[2]) : -1;
    if (n >= 0) shown(n, field("statement").value);
    else byId("case").close(); // one step back in the browser is out of the case
  }

  let waiting = 0;
  byId("filters").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, 30);
  });
  byId("filters").addEventListener("reset", () => setTimeout(search));
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("page-back").addEventListener("click", () => {
    first = Math.max(first - PAGE_ROWS, 0);
    show();
  });
  byId("page-on").addEventListener("click", () => {
    first += PAGE_ROWS;
    show();
  });
  byId("rows-csv").addEventListener("click", () => {
    const statement = field("statement").value,
      seated = judges.filter((judge) => judge.verdicts[statement]);
    const head = [
      "case",
      "attempt",
      "family",
      "stratum",
      "split",
      "statement",
      "label",
      ...seated.flatMap((j) => (j.verdicts[statement].p ? [j.name, `${j.name} p`] : [j.name])),
    ];
    download(
      `items-${statement}.csv`,
      "text/csv",
      csvOf([
        head,
        ...found.map(({ n }) => [
          attempts.case[n],
          attempts.attempt[n],
          attempts.family.names[attempts.family.at[n]],
          attempts.stratum.names[attempts.stratum.at[n]],
          attempts.split.names[attempts.split.at[n]],
          statement,
          textOf(labels[statement][n]),
          ...seated.flatMap((j) => {
            const v = j.verdicts[statement];
            return v.p ? [textOf(v.said[n]), v.p[n]] : [textOf(v.said[n])];
          }),
        ]),
      ]),
    );
  });
  addEventListener("hashchange", follow);
  field("statement").value = byId("filters").dataset.statement || names[0];
  search();
  follow();
}
