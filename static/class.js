// The pages of a class: polling, and forms without leaving the page. The pages and forms also work without this file.
import {
  fail,
  fields,
  hint,
  isDouble,
  keyed,
  onKey,
  onSubmit,
  parsed,
  post,
  PREFER,
  request,
  showBar,
  Away,
} from "./forms.js";

const HIGHEST_FAILURES = 3;
const WAIT = 25; // maximum number of seconds for which the server may hold a request until the page changes (RFC 7240)
const HELD_PATIENCE = 35_000; // timeout for a held request, in milliseconds
const PARTS = ["header", "nav", "main", "footer"];
const status = document.getElementById("status");

let every = 0; // seconds
let timer = 0;
let failures = 0;
let openRequest = null; // the AbortController of the open request, or null
let isPressed = false; // whether a finger is touching the screen
let sending = 0; // number of forms without a response
let posting = false; // whether a form is being sent, other than a form that covers a card
let hasNews = false; // whether an update is postponed until a finger is lifted or a form has a response
let announced = main()?.dataset.say;

function main() {
  return document.querySelector("main");
}

// ---- Polling ----

function poll() {
  clearTimeout(timer);
  if (document.hidden || !main()?.dataset.version) return;
  openRequest?.abort(); // a request that was sent before this page was hidden or went offline
  requestPage();
}

function pollLater() {
  clearTimeout(timer);
  if (!every || document.hidden) return;
  // The delay is random, so that the phones of a class do not all poll at the same time after a call.
  timer = setTimeout(poll, every * 1000 * (0.8 + Math.random() * 0.4));
}

// Requests this page with its current version.
// After a failure the request is not held, because a proxy may end long requests.
async function requestPage() {
  const controller = new AbortController();
  openRequest = controller;
  const version = main().dataset.version;
  const waits = failures === 0;
  let pollsAtOnce = false;
  try {
    const headers = { ...PREFER, "If-None-Match": `"${version}"` };
    if (waits) headers.Prefer += `, wait=${WAIT}`;
    const options = { headers, cache: "no-store" };
    const { answer, text } = await request(pageUrl(), options, controller, waits ? HELD_PATIENCE : undefined);
    if (openRequest !== controller) return;
    // The class was deleted, or the dashboard was revoked.
    if (answer.status === 404 || answer.status === 403) return location.reload();
    if (answer.status === 304) every = Number(answer.headers.get("Retry-After")) || every;
    else showNews(answer, text);
    const isHeld = /\bwait\b/.test(answer.headers.get("Preference-Applied") ?? "");
    pollsAtOnce = (isHeld && (answer.status === 304 || main().dataset.version !== version)) || failures > 0;
    failures = 0;
    showBar();
  } catch {
    if (openRequest !== controller) return;
    failures += 1;
    // A single failure may be caused by a change of network, so it is not reported.
    if (failures >= HIGHEST_FAILURES) showBar("away");
  }
  openRequest = null;
  if (pollsAtOnce) poll();
  else pollLater();
}

// A hidden page stops polling, because a browser has only six connections to a server for all tabs.
function stopPolling() {
  clearTimeout(timer);
  openRequest?.abort();
  openRequest = null;
}

// ---- News ----

function pageUrl() {
  const url = new URL(location.href);
  url.searchParams.delete("said");
  url.hash = "";
  return url;
}

function showNews(answer, text) {
  if (!answer.ok) throw answer.status;
  if (new URL(answer.url).pathname !== location.pathname) return location.assign(answer.url);
  // A change could move another button under the finger, so pollAfterRelease() polls again later.
  hasNews = Boolean(isPressed || sending);
  if (!hasNews) show(parsed(text));
}

function replace(page) {
  for (const part of PARTS) {
    const [old, next] = [document, page].map((root) => root.querySelector(`body > ${part}`));
    // Unchanged elements stay in the document, so that their open menus stay open.
    if (old && next && !old.isEqualNode(next)) old.replaceWith(document.adoptNode(next));
  }
  document.title = page.title;
  document.body.className = page.body.className;
  document.dispatchEvent(new Event("renewed"));
}

function show(page) {
  const focus = focusSelector(document.activeElement);
  const [x, y] = main().dataset.version ? [scrollX, scrollY] : [0, 0]; // the response to the form is another page
  const fresh = page.querySelector("main");
  const [waited, { card, round }] = [main().dataset, fresh.dataset];
  if (card && waited.version && round !== waited.round) return location.replace(card); // a new round was dealt
  for (const open of main().querySelectorAll("details[id]")) {
    const same = fresh.querySelector(`details#${open.id}`);
    if (same) same.open = open.open;
  }
  for (const form of main().querySelectorAll("form[data-keep]")) {
    keep(form, fresh.querySelector(`form[data-keep="${form.dataset.keep}"]`));
  }
  replace(page);
  const heading = document.querySelector("header h1");
  if (heading && fresh.dataset.heading) heading.textContent = fresh.dataset.heading;
  every = Number(fresh.dataset.every) || every;
  hint(document);
  if (focus) document.querySelector(focus)?.focus({ preventScroll: true });
  scrollTo(x, y);
  if (fresh.dataset.say && fresh.dataset.say !== announced) status.textContent = fresh.dataset.say;
  announced = fresh.dataset.say;
}

// Return a selector that finds the focused element again on the next page.
function focusSelector(element) {
  if (!element || !main().contains(element)) return "";
  if (element.id) return `#${CSS.escape(element.id)}`;
  if (element.dataset.key) return `[data-key="${element.dataset.key}"]`;
  if (element.name) {
    return `${element.localName}[name="${element.name}"][value="${CSS.escape(element.value)}"]`;
  }
  const href = element.getAttribute("href");
  return href ? `main a[href="${CSS.escape(href)}"]` : "";
}

// The fields with unsent text or choices.
function keep(form, fresh) {
  if (!fresh) return;
  for (const field of form.elements) {
    if (!field.name || field.type === "hidden") continue;
    if (field.type === "radio") {
      const same = fresh.querySelector(`[name="${field.name}"][value="${CSS.escape(field.value)}"]`);
      if (same && field.checked) same.checked = true;
    } else if (field.localName !== "button" && field.value !== field.defaultValue) {
      const same = fresh.elements[field.name];
      if (same) same.value = field.value;
    }
  }
}

function pollAfterRelease() {
  if (hasNews && !isPressed && !sending) poll();
}

for (const kind of ["pointerdown", "pointerup", "pointercancel"]) {
  addEventListener(kind, () => {
    isPressed = kind === "pointerdown";
    if (!isPressed) setTimeout(pollAfterRelease); // runs after the click event of this touch
  });
}
addEventListener("pageshow", poll);
addEventListener("online", poll);
document.addEventListener("visibilitychange", () => (document.hidden ? stopPolling() : poll()));

// ---- Forms ----

onSubmit((form, button) => {
  if ("mark" in form.dataset) coverCard(form, button);
  else if (!posting) send(form, button);
});

async function send(form, button) {
  posting = true;
  sending += 1;
  button?.classList.add("pending");
  await marks; // BINGO! is claimed only after the server has received the last covered card
  try {
    const { page, where, leads } = await post(form, button);
    const polls = page.querySelector("main[data-version]");
    posting = false;
    sending -= 1;
    if (leads || (where && !polls)) return location.assign(where);
    if (!polls) return leave(page, form);
    const opened = form.closest("details");
    if (opened) opened.open = false;
    show(page);
    document.querySelector("[role=alert]")?.scrollIntoView({ block: "nearest" });
    poll();
  } catch (error) {
    if (posting) sending -= 1;
    posting = false;
    button?.classList.remove("pending");
    fail(error, form, button);
  }
}

// Shows a response that is another page, such as a page with a new link or a rejected form.
function leave(page, form) {
  stopPolling(); // otherwise the response to a held request would replace the page
  if (form.dataset.keep) keep(form, page.querySelector(`form[data-keep="${form.dataset.keep}"]`));
  replace(page);
  scrollTo(0, 0);
  document.querySelector("[role=alert]")?.scrollIntoView({ block: "nearest" });
}

// A card is covered immediately, and the clicks are sent to the server in order.
let marks = Promise.resolve();

function coverCard(form, button) {
  const sent = new URLSearchParams(fields(form, button));
  toggle(button, sent.get("on") === "Y");
  sending += 1;
  marks = marks
    .then(() => sendMark(form.action, sent))
    .then(
      () => {
        sending -= 1;
        pollAfterRelease();
      },
      () => {
        sending -= 1;
        location.reload();
      },
    );
}

async function sendMark(action, body, tries = 3) {
  try {
    const headers = { Accept: "application/json" };
    const { answer } = await request(action, { method: "POST", body, headers });
    if (answer.status >= 500) throw answer.status;
    if (!answer.ok) hasNews = true; // the round has ended, or another round is shown
    showBar();
  } catch (error) {
    const isAway = error instanceof Away;
    if (isAway) showBar("away");
    else if (tries < 2) throw error;
    await new Promise((done) => setTimeout(done, isAway ? 2000 : 500));
    await sendMark(action, body, isAway ? tries : tries - 1);
  }
}

function toggle(button, on) {
  button.setAttribute("aria-pressed", String(on));
  button.classList.toggle(button.classList.contains("chip") ? "on" : "covered", on);
  if (button.dataset.on) button.textContent = on ? button.dataset.on : button.dataset.off;
  button.setAttribute("form", on ? "uncover" : "cover");
}

// ---- Keys ----

onKey((event) => {
  const button = !event.shiftKey && keyed(document, event.key);
  // A second click may be meant for the previous button, as in a double click.
  if (button && !isDouble(event)) button.click();
  return Boolean(button);
});

every = Number(main()?.dataset.every ?? 0);
hint(document);
pollLater();
