// Moves without leaving the page, and keyboard shortcuts. Every page works without this file.
import { fail, hint, keyed, onKey, onSubmit, parsed, post, request } from "./forms.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");
const live = document.getElementById("status");

let busy = false;
let clock; // the timer of the next call, if the clock calls the cards
let goOn = null; // function that shows the rest of a move while the table is paused, or null

// The frequencies of the tones in hertz. Tones are played only if the reader has switched sound on.
const TONES = {
  win: [523, 659, 784],
  "win at-blackjack": [392, 523, 659, 1047],
  "win at-one-deck": [587, 880, 740, 1175],
  "win at-war": [392, 392, 392, 523, 659],
  near: [131, 131],
  lost: [330, 262],
  bust: [247, 185, 139],
  tie: [440, 440],
  clash: [196, 294, 196, 294],
  shout: [523, 659, 784, 1047, 1319],
};
let audio = null;

const main = () => document.querySelector("main");

onSubmit((form, button) => {
  if (busy) return;
  if (goOn && button?.matches(".primary")) goOn();
  else send(form, button);
});

async function send(form, button) {
  busy = true;
  main().setAttribute("aria-busy", "true");
  try {
    const { page, where, leads } = await post(form, button);
    if (leads) return location.assign(where); // the button stays busy, because another page is loading
    await show(page, button);
  } catch (error) {
    fail(error, form, button);
  }
  busy = false;
  main().removeAttribute("aria-busy");
  wind();
}

// If the clock calls the cards, the next card is called without a click while the page is visible.
function wind() {
  clearTimeout(clock);
  const form = main().querySelector("form[data-clock]");
  const call = () => (busy || document.hidden ? wind() : send(form, form.querySelector("button")));
  if (form) clock = setTimeout(call, 1000 * form.dataset.clock);
}

async function show(page, button) {
  const fresh = document.adoptNode(page.querySelector("main"));
  const stopped = still.matches ? null : fresh.querySelector("[data-stop]");
  let read; // the IDs of announced elements
  goOn = null; // the pause has ended, because a click skipped it
  const swap = () => {
    for (const open of main().querySelectorAll("details[id][open]")) {
      fresh.querySelector(`#${open.id}`)?.setAttribute("open", "");
    }
    const side = main().querySelector(".side");
    const pressed = keepCovered(fresh, button);
    main().replaceWith(fresh);
    if (stopped) hold(stopped, side, () => present(page.title, fresh, read));
    hint(fresh);
    const place = pressed ?? landing(fresh, button);
    const described = fresh.querySelector(".play [aria-describedby]");
    const played = button?.closest(".play, .setup, .felt.begin");
    read = played ? (described?.getAttribute("aria-describedby") ?? "verdict") : "advice";
    described?.removeAttribute("aria-describedby"); // otherwise the description would be announced twice
    // A paragraph needs a tabindex to get the focus.
    if (place?.id === "verdict") place.tabIndex = -1;
    place?.focus({ preventScroll: true });
    if (played || button?.name === "move") inView(fresh.querySelector(".felt")); // including the buttons at the bottom
    if (played && !stopped) mark(fresh);
  };
  main().classList.toggle("cleared", button?.value === "deal");
  await moved(swap);
  if (stopped) live.textContent = stopped.dataset.stop;
  else present(page.title, fresh, read);
}

// Positions that were covered while a call was being sent stay covered, and the focus stays on the card.
// Return the position that has the focus.
function keepCovered(fresh, button) {
  if (!button?.form.matches("[data-clock]")) return undefined;
  const place = (box) => fresh.querySelector(`[name=covered][value="${box.value}"]`);
  for (const box of main().querySelectorAll("[name=covered]")) {
    const same = place(box);
    if (same) same.checked = box.checked;
  }
  const { activeElement: box } = document;
  return box?.name === "covered" ? place(box) : undefined;
}

// Change the page, with a transition unless the reader prefers reduced motion.
async function moved(change) {
  if (!document.startViewTransition || still.matches) {
    change();
    return;
  }
  const transition = document.startViewTransition(change);
  transition.ready.catch(() => {}); // the transition was replaced by a newer transition
  await transition.updateCallbackDone;
}

// A table can pause in the middle of a move.
// A click on the table or on the first move then shows the rest of the move. Any other move is played immediately.
// Until then, the column next to the table does not change, because it would reveal the result.
function hold(place, side, rest) {
  const fresh = main().querySelector(".side");
  fresh.replaceWith(side);
  const button = document.createElement("button");
  Object.assign(button, { type: "button", className: "go-on", textContent: place.dataset.stop });
  place.classList.add("stopped");
  place.querySelector(".middle").append(button);
  const label = main().querySelector(".moves .primary").firstChild;
  const usual = label.data;
  label.data = place.dataset.next;
  goOn = async () => {
    goOn = null;
    label.data = usual;
    const here = document.activeElement === button;
    await moved(() => {
      place.classList.remove("stopped");
      side.replaceWith(fresh);
      button.remove();
      if (here) landing(main())?.focus({ preventScroll: true });
    });
    rest();
    mark(main());
  };
  button.addEventListener("click", () => goOn?.());
}

// Start the animation and the sound of a result, after the cards have moved.
// A win looks and sounds different at each table.
function mark(fresh) {
  const kind = momentOf(fresh);
  const wait = parseFloat(getComputedStyle(document.documentElement).getPropertyValue("--last-card")) || 0;
  const at = `at-${fresh.querySelector(".board")?.dataset.table}`;
  if (kind) fresh.classList.add("moment", kind, at);
  if (kind) hear(TONES[`${kind} ${at}`] ?? TONES[kind], wait);
  if (!still.matches) gather(fresh, wait);
}

function momentOf(fresh) {
  const verdict = fresh.querySelector(".felt .verdict");
  if (!verdict) return fresh.querySelector(".warcry") ? "clash" : fresh.querySelector(".near") ? "near" : "";
  if (fresh.querySelector(".yours .winning")) return "shout";
  if (verdict.matches(".tie")) return "tie";
  if (verdict.matches(".dealer")) return fresh.querySelector("#hand-you .bust") ? "bust" : "lost";
  return "win";
}

function hear(tones, wait) {
  if (document.documentElement.dataset.sound !== "on") return;
  // Sound is played only after a click, because browsers block it before the first interaction.
  audio ??= new AudioContext();
  tones.forEach((tone, number) => {
    const at = audio.currentTime + wait / 1000 + number * 0.11;
    const voice = new OscillatorNode(audio, { type: "triangle", frequency: tone });
    const volume = new GainNode(audio, { gain: 0 });
    volume.gain.setValueAtTime(0.12, at);
    // The value is nearly 0, because an exponential ramp cannot end at 0.
    volume.gain.exponentialRampToValueAtTime(0.001, at + 0.28);
    voice.connect(volume).connect(audio.destination);
    voice.start(at);
    voice.stop(at + 0.3);
  });
}

// The other players' cards move to the pile of the winner.
function gather(fresh, wait) {
  const to = fresh.querySelector(".taker .stripes svg")?.getBoundingClientRect();
  if (!to) return;
  for (const card of fresh.querySelectorAll(".player:not(.taker) .shown .card")) {
    const from = card.getBoundingClientRect();
    const copy = Object.assign(card.cloneNode(), { className: "card flying", alt: "" });
    Object.assign(copy.style, { left: `${from.left}px`, top: `${from.top}px`, width: `${from.width}px` });
    document.body.append(copy);
    const there = `${to.left - from.left}px ${to.top - from.top}px`;
    const frames = { translate: ["0 0", there], scale: [1, to.width / from.width], opacity: [1, 1, 0] };
    const flight = copy.animate(frames, { duration: 380, delay: wait, fill: "both", easing: "ease-in" });
    flight.onfinish = () => copy.remove();
  }
}

// Show the result in the title, and announce it.
function present(title, fresh, read) {
  document.title = title;
  announce(fresh, read);
}

// After a move, scroll the table into view.
function inView(felt) {
  const box = felt?.getBoundingClientRect();
  if (box && (box.top < 0 || box.bottom > innerHeight)) scrollTo(0, 0);
}

// Return the element to focus: the option that was just clicked (such as 10 turns), or the first move.
function landing(fresh, button) {
  const again = button?.name && button.name !== "move";
  return (
    (again && fresh.querySelector(`button[name="${button.name}"][value="${button.value}"]`)) ||
    fresh.querySelector("[autofocus]") ||
    fresh.querySelector(".moves[tabindex], .moves button") ||
    fresh.querySelector("#verdict") // if there is no button
  );
}

// Return the outcome of the move: the result, the hands, or a message.
function announce(fresh, read) {
  const alert = fresh.querySelector("[role=alert]");
  alert?.scrollIntoView({ block: "nearest" });
  const parts = alert ? [] : read.split(" ").map((id) => document.getElementById(id));
  live.textContent = parts.filter(Boolean).map(words).join(" ");
}

function words(element) {
  const copy = element.cloneNode(true);
  for (const silent of copy.querySelectorAll("[aria-hidden], a")) silent.remove();
  for (const picture of copy.querySelectorAll("img")) picture.replaceWith(`${picture.alt}, `);
  const text = copy.textContent
    .replace(/\s+/g, " ")
    .replace(/[\s,]+$/, "")
    .trim();
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

// The key for starting over only opens the confirmation and moves the focus to its button.
function press(key) {
  const element = keyed(main(), key);
  if (!element) return false;
  if (!element.closest(".confirm, .new")) {
    element.click();
  } else {
    element.closest("details")?.setAttribute("open", "");
    (element.closest("details")?.querySelector("button") ?? element).focus();
  }
  return true;
}

let asking = false;

async function help() {
  if (asking) return;
  asking = true;
  const link = document.querySelector("a.settings");
  try {
    const page = parsed((await request(link.href)).text);
    const dialog = document.createElement("dialog");
    dialog.setAttribute("aria-labelledby", "keys-heading");
    const close = document.createElement("form");
    close.method = "dialog";
    close.append(Object.assign(document.createElement("button"), { textContent: "OK" }));
    dialog.append(document.adoptNode(page.querySelector("#keys")), close);
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    close.querySelector("button").focus();
  } catch {
    location.assign(`${link.href}#keys`);
  }
  asking = false;
}

onKey((event) => {
  if (event.key !== "?") return !event.shiftKey && press(event.key);
  help();
  return true;
});

hint(main());
wind();
