// Code for tables and classes: forms without leaving the page, double clicks, keys.

const PAGES = [200, 409, 422]; // status codes of responses whose page is shown
const TYPING = "textarea, select, [contenteditable], input:not([type=radio], [type=checkbox], [type=file])";
const PATIENCE = 10_000; // timeout for a response, in milliseconds
const SLOW = 300; // delay before a button is marked as busy, in milliseconds
const DOUBLE = 500; // maximum number of milliseconds between the clicks of a double click

// Requests the page in the response to a form, instead of a redirect (RFC 7240).
export const PREFER = { Accept: "text/html", Prefer: "return=representation" };

let sentAt = -Infinity; // the time of the last form

// There was no response: no network, or a timeout. The server may nevertheless have processed the form.
export class Away extends Error {}

// Return a response and its complete text; `control` can abort the request.
export async function request(url, options = {}, control = new AbortController(), patience = PATIENCE) {
  const timer = setTimeout(() => control.abort(), patience);
  try {
    const answer = await fetch(url, { ...options, signal: control.signal });
    return { answer, text: await answer.text() };
  } catch (error) {
    throw new Away(error.message, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

// Show a bar across the page: "away" if the server does not respond to polls, "again" if a form can be sent again.
export function showBar(kind) {
  const bar = document.getElementById("status");
  const texts = [bar.dataset.away, bar.dataset.again];
  if (kind) bar.textContent = bar.dataset[kind];
  else if (texts.includes(bar.textContent)) bar.textContent = "";
  bar.classList.toggle("visually-hidden", !kind);
}

document.getElementById("status")?.setAttribute("role", "status");

export const parsed = (text) => new DOMParser().parseFromString(text, "text/html");

export function fields(form, button) {
  const sent = new FormData(form);
  if (button?.name) sent.append(button.name, button.value);
  return sent;
}

// Send the page's forms with `act`, which receives the form and the clicked button.
export function onSubmit(act) {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.method !== "post" || "plain" in form.dataset) return;
    event.preventDefault();
    sentAt = event.timeStamp;
    act(form, event.submitter);
  });
}

// Return the page in the response to a form, its URL, and whether it is a different page.
export async function post(form, button) {
  const sent = fields(form, button);
  const body = form.enctype === "multipart/form-data" ? sent : new URLSearchParams(sent);
  const done = wait(button);
  try {
    const received = await request(form.action, { method: "POST", body, headers: PREFER });
    showBar();
    return read(received);
  } finally {
    done();
  }
}

const WAITING = { "aria-busy": "true", "aria-disabled": "true" };
const sending = new WeakSet(); // the buttons of forms that the browser sends without a script

// Mark the button as busy while its form is being sent, unless the response is fast.
// The button is not disabled, so that it keeps its focus and its value.
// Return a function that removes the mark.
function wait(button) {
  if (!button) return () => {};
  const slow = setTimeout(() => {
    for (const [name, value] of Object.entries(WAITING)) button.setAttribute(name, value);
  }, SLOW);
  return () => {
    clearTimeout(slow);
    for (const name of Object.keys(WAITING)) button.removeAttribute(name);
  };
}

// If the browser sends a form without a script, its button is busy until a new page arrives or a timeout expires.
// A second click does nothing.
window.addEventListener("submit", (event) => {
  const { target: form, submitter: button } = event;
  if (event.defaultPrevented || form.method === "dialog" || !button) return;
  if (sending.has(button)) return event.preventDefault();
  sending.add(button);
  const answered = wait(button);
  const done = () => {
    sending.delete(button);
    answered();
  };
  setTimeout(done, PATIENCE);
  addEventListener("pageshow", done, { once: true }); // the page was restored by the browser's Back button
});

function read({ answer, text }) {
  const type = answer.headers.get("Content-Type") ?? "";
  if (!PAGES.includes(answer.status) || !type.startsWith("text/html")) throw answer.status;
  const where = answer.headers.get("Content-Location") ?? (answer.redirected ? answer.url : "");
  const leads = Boolean(where) && new URL(where, location).pathname !== location.pathname;
  return { page: parsed(text), where, leads };
}

// If there is no response, the page stays open, and the same button sends the form again.
// The step in the form prevents the move from being played twice.
// The browser shows any other failure in its usual way.
export function fail(error, form, button) {
  if (error instanceof Away) return showBar("again");
  if (!form.isConnected) return location.reload();
  form.dataset.plain = "";
  form.requestSubmit(button);
}

// The second click of a double click may hit the next move, which is at the same position.
document.addEventListener("click", (event) => {
  const form = event.target.closest?.("button")?.form;
  const isMark = form && "mark" in form.dataset; // double clicks cover and uncover a card
  if (!isMark && event.detail > 1 && isDouble(event)) event.preventDefault();
});

export const isDouble = (event) => event.timeStamp - sentAt < DOUBLE;

// Show the keyboard shortcut of each element that has a shortcut.
export function hint(root) {
  for (const element of root.querySelectorAll("[data-key]")) {
    const key = element.dataset.key.toUpperCase();
    const shown = Object.assign(document.createElement("kbd"), { textContent: key });
    shown.setAttribute("aria-hidden", "true");
    element.insertBefore(shown, element.querySelector(":scope > small"));
    element.setAttribute("aria-keyshortcuts", key);
  }
}

export function keyed(root, key) {
  return [...root.querySelectorAll("[data-key]")].find(
    (element) => element.dataset.key.toUpperCase() === key.toUpperCase(),
  );
}

// Pass each key pressed outside a field to `act`, which returns whether it handled the key.
export function onKey(act) {
  document.addEventListener("keydown", (event) => {
    const taken = event.defaultPrevented || event.repeat || event.isComposing;
    if (taken || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.closest?.(TYPING) || document.querySelector("dialog[open]")) return;
    if (act(event)) event.preventDefault();
  });
}

// ---- Arrow keys on a Bingo card ----

const COLUMNS = 5;
const ARROWS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -COLUMNS, ArrowDown: COLUMNS };

// The next coverable position in a direction, or null at the edge of the card.
function neighbour(from, step) {
  const row = (place) => Math.floor(place / COLUMNS);
  for (let place = Number(from.value) + step; place >= 0 && place < COLUMNS ** 2; place += step) {
    if (Math.abs(step) === 1 && row(place) !== row(from.value)) return null;
    const next = document.querySelector(`[name="${from.name}"][value="${place}"]`);
    if (next) return next;
  }
  return null;
}

document.addEventListener("keydown", (event) => {
  const step = ARROWS[event.key];
  const from = event.target.closest?.(".bcard [name=place], .grid [name=covered]");
  if (!step || !from || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault(); // otherwise the page would scroll
  neighbour(from, step)?.focus();
});
