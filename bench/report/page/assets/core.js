// What every part of the page uses. Nothing here or elsewhere makes markup from text: nodes are made, texts are set.
const byId = (id) => document.getElementById(id);
const dataOf = (id) => JSON.parse(byId(id).textContent);
const SVG = "http://www.w3.org/2000/svg";

function node(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  return filled(made, attributes, children);
}

function drawn(name, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, name), attributes, children);
}

function filled(made, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value !== null && value !== undefined && value !== false)
      made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function download(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  node("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

function csvCell(text) {
  // A cell that a spreadsheet would take for a formula is made plain text; a number stays a number.
  const plain = /^[=+@\t\r-]/.test(text) && !Number.isFinite(Number(text)) ? `'${text}` : text;
  return /[",\n\r]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

const csvOf = (rows) => rows.map((row) => row.map((cell) => csvCell(String(cell ?? ""))).join(",")).join("\n") + "\n";

// ---- light and dark -------------------------------------------------------------------------------------------------
function themes() {
  const button = byId("theme"),
    root = document.documentElement;
  const dark = () =>
    root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const tell = () => {
    button.textContent = dark() ? "Light" : "Dark";
  };
  button.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    tell();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tell);
  tell();
}

// ---- tables: sort by a column, take it along -------------------------------------------------------------------------
const valueOf = (cell) => {
  const value = cell.dataset.v ?? cell.textContent.trim();
  return value === "" || Number.isNaN(Number(value)) ? value.toLowerCase() : Number(value);
};

function ordered(a, b) {
  // What is undefined has no number and stands last, whichever way the column is sorted.
  const numbers = [typeof a === "number", typeof b === "number"];
  if (numbers[0] !== numbers[1]) return { last: numbers[0] ? -1 : 1 };
  return { order: a < b ? -1 : a > b ? 1 : 0 };
}

function sortable(table) {
  const heads = [...table.tHead.rows[0].cells],
    body = table.tBodies[0];
  heads.forEach((head, column) => {
    const press = () => {
      const down = head.getAttribute("aria-sort") !== "descending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...body.rows].map((row) => [valueOf(row.cells[column]), row]);
      rows.sort(([a], [b]) => {
        const found = ordered(a, b);
        return found.last ?? (down ? -found.order : found.order);
      });
      body.append(...rows.map(([, row]) => row));
    };
    head.replaceChildren(node("button", { type: "button", click: press }, ...head.childNodes));
  });
}

function tables() {
  document.querySelectorAll("table.sortable").forEach((table) => {
    sortable(table);
    const name = `${table.dataset.name}.csv`;
    const take = () => download(name, "text/csv", csvOf([...table.rows].map((row) => [...row.cells].map(shown))));
    table.parentElement.after(
      node("div", { class: "tools" }, node("button", { type: "button", click: take }, "Table as CSV")),
    );
  });
}

const shown = (cell) =>
  (cell.dataset.csv ?? cell.textContent)
    .replace(/\s+/g, " ")
    .replace(/ [▲▼]$/, "")
    .trim();

// ---- figures: take the drawing or its numbers ------------------------------------------------------------------------
function figures() {
  const numbers = dataOf("figures");
  document.querySelectorAll("figure[data-name]").forEach((figure) => {
    const name = figure.dataset.name;
    const picture = () => {
      const copy = figure.querySelector("svg").cloneNode(true);
      copy.setAttribute("xmlns", SVG);
      download(`${name}.svg`, "image/svg+xml", new XMLSerializer().serializeToString(copy));
    };
    figure
      .querySelector(".tools")
      .replaceChildren(
        node("button", { type: "button", click: picture, "data-take": "svg" }, "SVG"),
        node(
          "button",
          { type: "button", click: () => download(`${name}.csv`, "text/csv", numbers[name]), "data-take": "csv" },
          "Data (CSV)",
        ),
      );
  });
}
