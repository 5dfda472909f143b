// Talks to the server. The token stays in this page's address and memory, and goes along as a header.
// The files of this folder are one script: each is a part of the page, and all of them share their names.

const token = new URLSearchParams(location.search).get("token") ?? "";

class Gone extends Error {}

class Refused extends Error {
  constructor(status, told) {
    super(told.error ?? `status ${status}`);
    this.status = status;
    this.told = told;
  }
}

async function call(method, path, body, keepalive = false) {
  const headers = { "x-bench-token": token };
  if (body !== undefined) headers["content-type"] = "application/json";
  let reply, told;
  try {
    const signal = keepalive ? undefined : AbortSignal.timeout(30_000);
    const text = body === undefined ? undefined : JSON.stringify(body);
    reply = await fetch(path, { method, headers, body: text, keepalive, signal });
    told = await reply.json();
  } catch {
    throw new Gone();
  }
  if (!reply.ok) throw new Refused(reply.status, told);
  return told;
}

// An element. Every text that is shown goes through here, as text: no string ever becomes markup.
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

const at = (id) => document.getElementById(id);

// What the browser keeps for this page: nothing is lost where it may not keep anything.
const kept = {
  get(name) {
    try { return localStorage.getItem(name); } catch { return null; }
  },
  set(name, value) {
    try { localStorage.setItem(name, value); } catch { /* memory still has it */ }
  },
  drop(name) {
    try { localStorage.removeItem(name); } catch { /* nothing was kept */ }
  },
};
