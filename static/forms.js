// What tables and classes share: forms without leaving the page, double clicks, keys.

const PAGES = [200, 409, 422]; // what is answered with a page that is to be shown
const TYPING = "textarea, select, [contenteditable], input:not([type=radio], [type=checkbox], [type=file])";
const DOUBLE = 500; // milliseconds in which a second click belongs to the first

// A page in the answer to its form, instead of the way there (RFC 7240).
export const PREFER = { Accept: "text/html", Prefer: "return=representation" };

let sentAt = -Infinity; // when the last form was

export const parsed = (text) => new DOMParser().parseFromString(text, "text/html");

export function fields(form, button) {
  const sent = new FormData(form);
  if (button?.name) sent.append(button.name, button.value);
  return sent;
}

// Have `act` send the forms of the page: it gets the form and the button that was pressed.
export function onSubmit(act) {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.method !== "post" || "plain" in form.dataset) return;
    event.preventDefault();
    sentAt = event.timeStamp;
    act(form, event.submitter);
  });
}

// The page in the answer to a form, its address, and whether that is another page than this.
export async function post(form, button) {
  const sent = fields(form, button);
  const body = form.enctype === "multipart/form-data" ? sent : new URLSearchParams(sent);
  const answer = await fetch(form.action, { method: "POST", body, headers: PREFER });
  const type = answer.headers.get("Content-Type") ?? "";
  if (!PAGES.includes(answer.status) || !type.startsWith("text/html")) throw answer.status;
  const where = answer.headers.get("Content-Location") ?? (answer.redirected ? answer.url : "");
  const leads = Boolean(where) && new URL(where, location).pathname !== location.pathname;
  return { page: parsed(await answer.text()), where, leads };
}

// Let the browser send a form the ordinary way; it shows its own error where that fails too. It may
// have been accepted all the same: the step in the form keeps it from being played twice.
export function resend(form, button) {
  if (!form.isConnected) return location.reload();
  form.dataset.plain = "";
  form.requestSubmit(button);
}

// The second half of a double click may find the next move in the place of the first.
document.addEventListener("click", (event) => {
  const mark = event.target.closest?.("form[data-mark]"); // a card may be covered and uncovered fast
  if (!mark && event.detail > 1 && isDouble(event)) event.preventDefault();
});

export const isDouble = (event) => event.timeStamp - sentAt < DOUBLE;

// Show at each element with a key which one that is.
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
  return [...root.querySelectorAll("[data-key]")].find((one) => one.dataset.key.toUpperCase() === key.toUpperCase());
}

// Have `act` take a key that is pressed outside of a field; it returns whether it has.
export function onKey(act) {
  document.addEventListener("keydown", (event) => {
    const taken = event.defaultPrevented || event.repeat || event.isComposing;
    if (taken || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.target.closest?.(TYPING) || document.querySelector("dialog[open]")) return;
    if (act(event)) event.preventDefault();
  });
}
