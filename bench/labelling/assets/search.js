// Full-text search in the session: every hit is counted, wherever a text is folded.

const MOST = 10_000; // hits that are listed

const search = { hits: [], now: -1, timer: 0 };

function clearSearch() {
  at("find").value = "";
  runSearch();
}

function runSearch() {
  const words = at("find").value;
  for (const text of session.texts) {
    if (!text.hits.length) continue;
    text.hits = [];
    text.now = -1;
    text.draw();
  }
  search.hits = words ? allHits(words) : [];
  search.now = -1;
  for (const text of new Set(search.hits.map((hit) => hit.text))) text.draw();
  tellHits(words);
}

function allHits(words) {
  const pattern = new RegExp(words.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"), "gi");
  const hits = [];
  for (const text of session.texts) {
    for (const match of text.text.matchAll(pattern)) {
      text.hits.push([match.index, match.index + match[0].length]);
      hits.push({ text, index: text.hits.length - 1 });
      if (hits.length === MOST) return hits;
    }
  }
  return hits;
}

function tellHits(words) {
  const many = search.hits.length === MOST ? `${count(MOST)}+` : count(search.hits.length);
  at("hits").textContent = !words ? "" : search.now < 0 ? `${many} ${search.hits.length === 1 ? "hit" : "hits"}` : `${count(search.now + 1)} of ${many}`;
  at("find-on").disabled = at("find-back").disabled = !search.hits.length;
}

function nextHit(step) {
  if (!search.hits.length) return;
  const before = search.hits[search.now];
  search.now = search.now < 0 ? (step > 0 ? 0 : search.hits.length - 1) : (search.now + step + search.hits.length) % search.hits.length;
  const { text, index } = search.hits[search.now];
  if (before && before.text !== text) {
    before.text.now = -1;
    before.text.draw();
  }
  text.now = index;
  text.reveal(text.hits[index][0]);
  text.draw();
  const event = session.events.findIndex(({ place }) => place === text.place);
  if (event >= 0) stand(event);
  text.place.scrollIntoView({ block: "nearest" });
  text.shown.querySelector("mark.now")?.scrollIntoView({ block: "center" });
  tellHits(at("find").value);
}

function listenToSearch() {
  at("find").addEventListener("input", () => {
    clearTimeout(search.timer);
    search.timer = setTimeout(runSearch, 120);
  });
  at("find").addEventListener("keydown", (key) => {
    if (key.key !== "Enter") return;
    key.preventDefault();
    if (search.now < 0) runSearch();
    nextHit(key.shiftKey ? -1 : 1);
  });
  at("find-on").addEventListener("click", () => nextHit(1));
  at("find-back").addEventListener("click", () => nextHit(-1));
  at("jump").addEventListener("keydown", (key) => {
    if (key.key !== "Enter") return;
    key.preventDefault();
    if (/^\d+$/.test(at("jump").value.trim())) jumpTo(Number(at("jump").value));
  });
}
