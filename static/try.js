// Runs students' own classes in their browser: files, checks, the table.
import { Python, forgetFiles, keepFiles, keptFiles, rebuilt } from "./try-python.js";
import { Editor, Puzzles } from "./try-learn.js";
import { Steps } from "./try-steps.js";

const MAX_FILES = 100,
  MAX_SIZE = 1 << 20; // of all that are kept together, and of each
const MAX_TOTAL = 4 * MAX_SIZE;
const KINDS = /\.(py|txt|ipynb)$/;

const $ = (id) => document.getElementById(id);
const own = $("own"),
  at = own?.dataset ?? {};
const words = (name, values = {}) =>
  Object.entries(values).reduce(
    (text, [key, value]) => text.replaceAll(`{${key}}`, value),
    $("words").dataset[name] ?? "",
  );
const say = (text) => {
  $("status").textContent = text;
};

let files = {},
  restored,
  working = false,
  python,
  editor,
  puzzles,
  steps,
  sources = {};
let pressed; // the button that Python is at work for
// Of the check at work: results by number, what does not end, what runs now.
let results = new Map(),
  endless = {},
  running;

// ---- Files ------------------------------------------------------------------------------------
async function take(list) {
  const found = [...list].filter(
    ({ name, webkitRelativePath: path = "" }) => KINDS.test(name) && !/(^|\/)[._]/.test(path),
  );
  if (!found.length) return say(words("none"));
  if (found.length > MAX_FILES || found.some(({ size }) => size > MAX_SIZE)) return say(words("tooLarge"));
  const read = await Promise.all(found.map(async (file) => [file.name, await file.text()]));
  return add(Object.fromEntries(read));
}

async function add(read) {
  await restored; // or what the browser keeps would be overwritten by what is chosen early
  editor.close();
  const all = { ...files, ...read },
    texts = Object.values(all);
  if (texts.length > MAX_FILES || texts.reduce((sum, { length }) => sum + length, 0) > MAX_TOTAL)
    return say(words("tooLarge"));
  files = all;
  say("");
  await changed();
  start();
}

async function changed() {
  const names = Object.keys(files).sort();
  $("chosen").replaceChildren(
    ...names.map((name) => {
      const item = document.createElement("li"),
        edit = document.createElement("button"),
        remove = document.createElement("button");
      edit.textContent = name;
      edit.type = remove.type = "button";
      edit.setAttribute("aria-label", words("edit", { file: name }));
      edit.onclick = () => editor.open(name, files[name]);
      remove.className = "quiet";
      remove.textContent = "×";
      remove.setAttribute("aria-label", words("remove", { file: name }));
      remove.onclick = () => {
        editor.close(name);
        delete files[name];
        changed();
        ($("chosen").querySelector(".quiet") ?? $("files")).focus();
      };
      item.append(edit, " ", remove);
      return item;
    }),
  );
  $("kept").hidden = !((await keepFiles(at.sheet, files)) && names.length);
  idle();
}

async function dropped(event) {
  event.preventDefault();
  $("drop").classList.remove("over");
  const items = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.());
  if (!items.some((entry) => entry?.isDirectory)) return take(event.dataTransfer.files);
  const found = [];
  const walk = async (entry) => {
    if (found.length > MAX_FILES || /^[._]/.test(entry.name)) return;
    if (entry.isFile) found.push(await new Promise((resolve, reject) => entry.file(resolve, reject)));
    else for (const each of await entries(entry)) await walk(each);
  };
  for (const entry of items) if (entry) await walk(entry);
  return take(found);
}
const entries = (folder) => new Promise((resolve, reject) => folder.createReader().readEntries(resolve, reject));

// ---- Python -----------------------------------------------------------------------------------
async function start() {
  try {
    say(words("starting"));
    await python.start();
    $("loading").hidden = true;
    if (!working && $("status").textContent === words("starting")) say(words("ready")); // and nothing that was said since
    return true;
  } catch (error) {
    say(words("failed", { reason: error.message }));
    return false;
  }
}

async function ask(message) {
  editor.save();
  pressed = document.activeElement?.closest("button") ?? pressed;
  working = true;
  idle();
  if (await start()) await python.ask({ sheet: at.sheet, ...message });
  else {
    working = false;
    idle();
    goOn();
  }
}

// Buttons are disabled while Python works, and those of the moves are others afterwards.
function goOn() {
  if (![null, document.body, pressed].includes(document.activeElement)) return;
  const moves = [...$("moves").children],
    inMoves = pressed?.dataset.move;
  const next =
    inMoves || pressed === $("sit")
      ? (moves.find(({ dataset }) => inMoves && dataset.move === inMoves) ?? moves[0])
      : pressed;
  const place = next ?? $("sit");
  if (!place.disabled) place.focus({ preventScroll: true });
}

function idle() {
  for (const button of [$("check"), $("sit"), ...$("moves").children])
    button.disabled = working || !Object.keys(files).length;
  for (const button of [$("starter"), $("solve")]) button.disabled = working;
  $("stop").hidden = !working;
  own.toggleAttribute("aria-busy", working);
}

function heard(data) {
  if (data.kind === "done") {
    working = false;
    idle();
    goOn();
  } else if (Object.hasOwn(ACTS, data.kind)) ACTS[data.kind](data);
}

// An endless loop that no limit in Python ends, or what ends Python itself: the next worker goes on behind it.
function silent(reason) {
  if (!running) {
    working = false;
    $("moves").replaceChildren();
    say(reason ? words("failed", { reason }) : words("ended"));
    idle();
    return goOn();
  }
  endless[running.check] = [reason || "it did not end within 30 seconds", String(running.what ?? "")];
  running = undefined;
  check();
}

// ---- Checks -----------------------------------------------------------------------------------
function begin() {
  results = new Map();
  endless = {};
  $("results").replaceChildren();
  $("notes").replaceChildren();
  $("save").hidden = true;
  $("shown").replaceChildren();
  $("report").hidden = false;
  sum();
  check();
}

const check = () => ask({ kind: "check", files, reported: [...results.keys()], endless });

function sum() {
  const total = (name) => [...results.values()].reduce((all, each) => all + (+each[name] || 0), 0);
  $("points").textContent = total("points");
  $("worth").textContent = results.size ? words("of", { worth: total("worth") }) : "";
}

function result(data) {
  running = undefined;
  if (results.has(data.id)) return;
  results.set(data.id, data);
  const item = document.createElement("li"),
    head = document.createElement(data.passed ? "p" : "summary");
  const mark = document.createElement("span"),
    number = document.createElement("b"),
    text = document.createElement("span");
  item.className = data.passed ? "met" : "unmet";
  item.dataset.check = data.id;
  mark.className = "unseen";
  mark.textContent = `${words(data.passed ? "met" : "unmet")} `;
  number.textContent = data.id;
  text.lang = "en";
  text.textContent = ` ${data.text}`;
  head.append(mark, number, text);
  if (data.passed) item.append(head);
  else {
    const details = document.createElement("details"),
      lines = document.createElement("pre");
    lines.textContent = data.lines.join("\n");
    lines.tabIndex = 0;
    details.append(head, lines);
    item.append(details);
  }
  $("results").append(item);
  sum();
}

// One fault costs one point: what failed because of another requirement is found out at the end.
// What could not be seen because of it has no points either.
function free(id, why, points) {
  const found = results.get(id),
    item = found && $("results").querySelector(`[data-check="${CSS.escape(id)}"]`);
  if (!item) return;
  if (points) found.points = found.worth;
  found.lines = [...found.lines, why];
  item.className = "free";
  item.querySelector(".unseen").textContent = "";
  item.querySelector("summary").append(` (${why})`);
}

function checked({ notes, free: all, hidden }) {
  running = undefined;
  for (const [id, why] of Object.entries(all)) free(id, why, true);
  for (const [id, why] of Object.entries(hidden)) free(id, why, false);
  sum();
  $("notes").replaceChildren(
    ...notes.map((note) => {
      const item = document.createElement("li");
      item.textContent = note;
      return item;
    }),
  );
  say(words("checked"));
  const lines = [...results.values()].flatMap(({ id, text, points, worth, lines: why }) => [
    `${points}/${worth}  ${id}  ${text}`,
    ...why.map((line) => `              ${line}`),
  ]);
  const head = `${document.querySelector("h1").textContent}: ${$("points").textContent} ${$("worth").textContent}`;
  URL.revokeObjectURL($("save").href);
  $("save").href = URL.createObjectURL(
    new Blob([[head, ...notes, "", ...lines, ""].join("\n")], { type: "text/plain" }),
  );
  $("save").hidden = false;
  if ($("show")) $("show").hidden = false;
}

// ---- The class --------------------------------------------------------------------------------
// Of the checks only numbers are sent, and only to the class that is chosen: no code, no text.
const asJson = { headers: { Accept: "application/json" } };

async function offer() {
  const { classes } = await (await fetch(`${at.root}/class`, asJson)).json().catch(() => ({ classes: [] }));
  const buttons = classes.map(({ class: code, title }) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = title;
    button.onclick = () => show(code, title);
    return button;
  });
  $("shown").replaceChildren(words(buttons.length ? "inClass" : "noClass"), " ", ...buttons);
}

async function show(code, title) {
  const passed = [...results.values()].filter((each) => each.passed).map(({ id }) => String(id).split("-").pop());
  const body = new URLSearchParams({ sheet: at.sheet, passed: passed.join(" ") });
  const answer = await fetch(`${at.root}/class/${code}/sheets`, { method: "POST", body, ...asJson }).catch(
    () => undefined,
  );
  $("shown").textContent = answer?.ok ? words("wasShown", { title, number: passed.length }) : words("notShown");
}

// ---- The table --------------------------------------------------------------------------------
function table(data) {
  say("");
  $("at-table").hidden = false;
  $("felt").replaceChildren(
    rebuilt(data.html, { cards: `${at.static}/cards/`, rules: `${at.root}/${at.sheet}/rules#` }),
  );
  $("moves").replaceChildren(
    ...data.moves.map(([name, label], place) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = label;
      if (data.moves.length === 1 && !place) button.className = "primary";
      button.dataset.move = name;
      button.onclick = () => ask({ kind: "play", move: name });
      return button;
    }),
  );
  if (data.coached) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.textContent = words("odds");
    button.onclick = () => ask({ kind: "odds" });
    $("moves").append(button);
  }
  $("odds").replaceChildren();
  $("uncompared").hidden = data.compared;
  $("printed-box").hidden = !data.printed;
  $("printed").textContent = data.printed;
  tell(data);
  if (data.sources) sources = data.sources;
  steps.set({ ...data, sources });
}

function tell({ difference, broken, place }) {
  const box = $("difference"),
    line = (text, lang) => {
      const p = document.createElement("p");
      p.textContent = text;
      if (lang) p.lang = lang;
      return p;
    };
  box.hidden = !difference && !broken;
  if (broken) return box.replaceChildren(line(words("broken", { reason: broken })), ...(place ? [mend(...place)] : []));
  if (!difference) return box.replaceChildren();
  const list = document.createElement("dl");
  for (const name of ["expected", "got"]) {
    const term = document.createElement("dt"),
      value = document.createElement("dd");
    term.textContent = words(name);
    value.textContent = difference[name];
    list.append(term, value);
  }
  const look = place ? [line(words("look", { file: place[0], line: place[1] })), mend(...place)] : [];
  box.replaceChildren(
    line(words("differs", { what: difference.what })),
    list,
    line(`${difference.rule}: ${difference.sentence}`, "en"),
    ...look,
  );
}

// A button that opens the blamed line in the editor.
function mend(file, number) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = words("mend");
  button.onclick = () => {
    editor.open(file, files[file]);
    editor.select(number);
  };
  button.hidden = !Object.hasOwn(files, file);
  return button;
}

const odds = ({ html }) =>
  $("odds").replaceChildren(rebuilt(html ?? "", { cards: `${at.static}/cards/`, rules: "\0" }));

const ACTS = {
  result,
  checked,
  table,
  odds,
  starter: async ({ files: given }) => {
    await add({ ...given, ...files });
    editor.open(...Object.entries(files)[0]);
  },
  puzzles: ({ puzzles: all }) => {
    say("");
    puzzles.set(all);
  },
  solved: ({ why }) => {
    say("");
    puzzles.solved(why);
  },
  running: (data) => {
    running = data;
    say(words("checking", { check: data.check }));
  },
  made: ({ moves }) => say(words("made", { moves })),
};

// ---- The page ---------------------------------------------------------------------------------
if (own && (typeof WebAssembly !== "object" || !window.Worker)) $("unable").hidden = false;
else if (own) {
  own.hidden = false;
  const { root, static: folder, language, end, suits } = at;
  python = new Python({
    at: at.python,
    sizes: JSON.parse(at.sizes),
    archive: at.archive && [at.archive, +at.bytes],
    settings: { root, static: folder, language, end, suits },
    heard,
    silent,
    loaded: (have, all) => {
      $("loading").hidden = false;
      $("bar").value = have / all;
      $("loaded").textContent = words("reading", { have: (have / 1e6).toFixed(0), all: (all / 1e6).toFixed(0) });
    },
  });
  steps = new Steps(words);
  editor = new Editor((name, text) => {
    if (name in files && files[name] !== text) {
      files[name] = text;
      keepFiles(at.sheet, files);
    }
  });
  puzzles = new Puzzles(words, ask);
  for (const id of ["files", "folder"])
    $(id).onchange = () => {
      take($(id).files).then(() => {
        $(id).value = "";
      });
    };
  $("drop").ondragover = (event) => {
    event.preventDefault();
    $("drop").classList.add("over");
  };
  $("drop").ondragleave = () => $("drop").classList.remove("over");
  $("drop").ondrop = dropped;
  $("starter").onclick = () => ask({ kind: "starter" });
  $("forget").onclick = async () => {
    editor.close();
    files = {};
    await forgetFiles(at.sheet);
    changed();
    $("files").focus();
  };
  $("check").onclick = begin;
  $("sit").onclick = () => ask({ kind: "sit", files, seed: Math.floor(Math.random() * 1e9) });
  if ($("show")) $("show").onclick = offer;
  $("stop").onclick = () => {
    python.stop();
    running = undefined;
    working = false;
    say(words("stopped"));
    idle();
    goOn();
  };
  restored = keptFiles(at.sheet).then((kept) => {
    if (kept) {
      files = kept;
      changed();
    }
  });
}
