// Runs students' own classes in their browser: files, checks, the table.
import { Python, forgetFiles, keepFiles, keptFiles, rebuilt } from "./try-python.js";
import { Editor, coded } from "./try-editor.js";
import { Steps, made } from "./try-steps.js";

const MAX_FILES = 100,
  MAX_SIZE = 1 << 20; // the limits for stored files: their number, and the size of each file
const MAX_TOTAL = 4 * MAX_SIZE;
const KINDS = /\.(pyw?|txt|ipynb|zip)$/i;

const $ = (id) => document.getElementById(id);
const own = $("own"),
  at = own?.dataset ?? {};
const words = (name, values = {}) =>
  Object.entries(values).reduce(
    (text, [key, value]) => text.replaceAll(`{${key}}`, value),
    $("words").dataset[name] ?? "",
  );
const say = (text) => {
  $("python-status").textContent = text;
};

let files = {},
  restored,
  working = false,
  python,
  editor,
  steps,
  sources = {};
let pressed; // the button whose request is running in Python
// The check in progress: results keyed by requirement, requirements that timed out, and the current requirement.
let results = new Map(),
  started = {}, // the error if the program does not start
  endless = {},
  running;

// ---- Files ------------------------------------------------------------------------------------
// Python reads the files as the grader does: it handles encodings, archives, and file names that a course system changed.
async function take(list) {
  const chosen = [...list].filter(({ name, path = "" }) => !/(^|\/)[._]/.test(`${path}/${name}`)),
    usable = chosen.filter(({ name }) => KINDS.test(name));
  if (!usable.length) return say(words("none"));
  if (usable.length > MAX_FILES || usable.some(({ size }) => size > MAX_SIZE)) return say(words("tooLarge"));
  if (usable.reduce((sum, { size }) => sum + size, 0) > MAX_TOTAL) return say(words("tooLarge"));
  const others = chosen.filter((file) => !usable.includes(file)).slice(0, MAX_FILES);
  const read = await Promise.all(usable.map(async (file) => [pathOf(file), await base64(file)]));
  return ask({ kind: "read", files: Object.fromEntries([...others.map((file) => [pathOf(file), null]), ...read]) });
}

const pathOf = ({ path, webkitRelativePath, name }) => (path || webkitRelativePath || name).replace(/^\//, "");

const base64 = (file) =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });

async function add(read) {
  await restored; // otherwise files selected early would overwrite the stored files
  editor.close();
  const all = { ...files, ...read },
    texts = Object.values(all);
  if (texts.length > MAX_FILES || texts.reduce((sum, { length }) => sum + length, 0) > MAX_TOTAL)
    return say(words("tooLarge"));
  files = all;
  $("chosen-box").open = true;
  say("");
  await changed();
  return true;
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
  $("chosen-box").hidden = !names.length;
  $("chosen-title").textContent = words(names.length === 1 ? "chosenOne" : "chosen", { number: names.length });
  $("kept").hidden = !((await keepFiles(at.sheet, files)) && names.length);
  idle();
}

async function dropped(event) {
  event.preventDefault();
  $("drop").classList.remove("over");
  const items = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.());
  if (!items.some((entry) => entry?.isDirectory)) return take(event.dataTransfer.files);
  const dropped = [];
  const walk = async (entry) => {
    if (dropped.length > MAX_FILES || /^[._]/.test(entry.name)) return;
    if (entry.isFile) {
      const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
      dropped.push(Object.defineProperty(file, "path", { value: entry.fullPath }));
    } else for (const each of await entries(entry)) await walk(each);
  };
  for (const entry of items) if (entry) await walk(entry);
  return take(dropped);
}
const entries = (folder) => new Promise((resolve, reject) => folder.createReader().readEntries(resolve, reject));

// ---- Python -----------------------------------------------------------------------------------
async function start() {
  try {
    say(words("starting"));
    await python.start();
    $("loading").hidden = true;
    if (!working && $("python-status").textContent === words("starting")) say(words("ready")); // still the latest
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

// Whether the focus is still on the button that the reader clicked.
const focusIsFree = () => [null, document.body, pressed].includes(document.activeElement);

// Buttons are disabled while Python code runs, and the move buttons are replaced afterwards.
function goOn() {
  if (!focusIsFree()) return;
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
  $("starter").disabled = working;
  $("choose").hidden = Object.keys(files).length > 0;
  $("stop").hidden = !working;
  own.toggleAttribute("aria-busy", working);
  sum();
}

function heard(data) {
  if (data.kind === "done") {
    working = false;
    idle();
    goOn();
  } else if (Object.hasOwn(ACTS, data.kind)) ACTS[data.kind](data);
}

// If Python crashes, or runs an endless loop that no limit in Python stops, a new worker continues the check with the next requirement.
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
  started = {};
  endless = {};
  for (const id of ["failing", "following", "passing", "notes"]) $(id).replaceChildren();
  $("chosen-box").open = false;
  $("save").hidden = true;
  $("open").textContent = "";
  $("report").hidden = false;
  check();
}

const check = () => ask({ kind: "check", files, reported: [...results.keys()], endless });

function sum() {
  const total = (name) => [...results.values()].reduce((all, each) => all + (+each[name] || 0), 0);
  const { length } = $("failing").children;
  $("points").textContent = total("points");
  $("worth").textContent = results.size ? words("of", { worth: total("worth") }) : "";
  $("report-title").className = length ? "bad" : "good";
  const [file, line] = started.place ?? [];
  $("report-title").textContent = started.fault
    ? words(file ? "notStartedAt" : "notStarted", { file, line })
    : length
      ? words("toFix", { number: length })
      : words(working ? "checking" : "nothing", { check: "" });
  for (const name of ["following", "passing"]) {
    const { length: number } = $(name).children;
    $(`${name}-box`).hidden = !number;
    $(`${name}-title`).textContent = words(name, { number });
  }
}

// Failed requirements come first, and the first failed requirement is open. Passed requirements are folded.
// If the program does not start, one card shows the line with the error, and the requirements that cannot be checked are folded.
function result(data) {
  running = undefined;
  if (results.has(data.id)) return;
  results.set(data.id, data);
  const text = made("span", "", ...coded(data.text)),
    head = [made("b", "", data.id), " ", text];
  text.lang = "en";
  if (data.passed) {
    const notes = data.notes?.length ? [made("small", "", ` ${words("wording", { number: data.notes.length })}`)] : [];
    const item = made("li", "met", ...head, ...notes);
    item.dataset.check = data.id;
    item.title = (data.notes ?? []).join("\n");
    $("passing").append(item);
    return sum();
  }
  const folded = made("details", "", made("summary", "", ...head), ...reasons(data.lines));
  const item = made("li", "unmet", folded);
  item.dataset.check = data.id;
  folded.open = !$("failing").children.length && !data.start;
  if (data.start && !started.fault) {
    Object.assign(started, { fault: data.id, place: data.start.place });
    const message = made("p", "bad", data.start.said);
    message.lang = "en";
    item.prepend(message, ...(data.start.place ? [mend(...data.start.place)] : []));
  }
  $(data.start && started.fault !== data.id ? "following" : "failing").append(item);
  sum();
}

// The reason why a requirement is not met, from the lines of the grader's report (course/grading/report.py).
// Each line has a label, nine columns wide, and a text. Two transcripts follow, side by side.
// The sheet's transcript starts in the first column, the student's transcript in the 49th.
function reasons(lines) {
  const cut = lines.findIndex((line) => /^(the solution)? {20,}yours$/.test(line));
  const list = made("dl", "own-why");
  for (const line of cut < 0 ? lines : lines.slice(0, cut)) {
    const name = line.slice(0, 9).trim();
    if (name || !list.lastChild) list.append(made("dt", "", name), made("dd", name === "got" ? "bad" : ""));
    list.lastChild.append(list.lastChild.textContent && "\n", line.slice(10));
  }
  list.lang = "en";
  if (cut < 0) return [list];
  const rows = lines.slice(cut + 1).map((line) => [line.slice(0, 46).trimEnd(), line[47] === "|", line.slice(49)]);
  const column = (name, at) => {
    const text = made(
      "pre",
      "",
      ...rows.map((row) => made("span", row[1] ? (row[at] ? "unlike" : "none") : "", `${row[at]}\n`)),
    );
    text.tabIndex = 0;
    return made("div", "", made("h4", "", words(name)), text);
  };
  const beside = lines[cut].startsWith("the solution") ? [column("expected", 0)] : [];
  return [list, made("div", "own-beside", ...beside, column("got", 2))];
}

// Moves a requirement to another list. It passed when it was checked again, or it was not observed, for the given reason.
function move(id, list, name, why) {
  const item = $("results").querySelector(`[data-check="${CSS.escape(id)}"]`);
  if (!item) return;
  item.className = name;
  const folded = item.querySelector("details");
  if (why) folded?.querySelector("summary").append(` (${why})`);
  if (folded) folded.open = false;
  $(list).append(item);
}

function checked({ notes, met, unseen, open }) {
  running = undefined;
  for (const id of met) {
    const result = results.get(id);
    if (!result || result.passed) continue;
    Object.assign(result, { passed: true, points: result.worth });
    move(id, "passing", "met");
  }
  for (const [id, why] of Object.entries(unseen)) {
    results.get(id)?.lines.push(why);
    move(id, "following", "free", why);
  }
  const first = $("failing").querySelector("details");
  if (first && !started.fault) first.open = true;
  $("notes").replaceChildren(...notes.map((note) => made("li", "", ...coded(note))));
  $("open").textContent = open ? words("open", { number: open }) : "";
  say(words("checked"));
  if (focusIsFree()) $("report-title").focus({ preventScroll: true });
  $("report").scrollIntoView({ block: "start" });
  const lines = [...results.values()].flatMap(({ id, text, points, worth, lines: why }) => [
    `${points}/${worth}  ${id}  ${text}`,
    ...why.map((line) => `              ${line}`),
  ]);
  const head = `${document.querySelector("h1").textContent}: ${$("points").textContent} ${$("worth").textContent}${$("open").textContent}`;
  URL.revokeObjectURL($("save").href);
  $("save").href = URL.createObjectURL(
    new Blob([[head, ...notes, "", ...lines, ""].join("\n")], { type: "text/plain" }),
  );
  $("save").hidden = false;
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
    line = (text, lang = at.language) => Object.assign(made("p", "", ...coded(text)), { lang });
  box.hidden = !difference && !broken;
  if (broken) return box.replaceChildren(line(words("broken", { reason: broken })), ...(place ? [mend(...place)] : []));
  if (!difference) return box.replaceChildren();
  const list = document.createElement("dl");
  for (const name of ["expected", "got"]) list.append(made("dt", "", words(name)), made("dd", "", difference[name]));
  const look = place ? [line(words("look", { file: place[0], line: place[1] })), mend(...place)] : [];
  box.replaceChildren(
    line(words("differs", { what: difference.what })),
    list,
    line(`${difference.rule}: ${difference.sentence}`, "en"),
    ...look,
  );
}

// A button that opens the editor at the line that caused the error.
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
  read: async ({ files: texts, notes }) => {
    const all = Object.entries(texts).filter(([, text]) => typeof text === "string");
    $("unused").replaceChildren(...notes.map((note) => made("li", "", note)));
    if (!all.length) say(words("none"));
    else if (await add(Object.fromEntries(all))) say(words("ready"));
  },
  result,
  checked,
  table,
  odds,
  starter: async ({ files: given }) => {
    await add({ ...given, ...files });
    const { file, name, line } = firstStep() ?? { file: Object.keys(files)[0], line: 1 };
    editor.open(file, files[file], ...coded(name ? words("firstStep", { name }) : ""));
    editor.select(line);
  },
  running: (data) => {
    running = data;
    say(words("checking", { check: data.check }));
  },
  made: ({ moves }) => say(words("made", { moves })),
};

// The first unfinished function or method in the starter files: its file, its line and its name.
function firstStep() {
  for (const [file, text] of Object.entries(files)) {
    const lines = text.split("\n"),
      at = lines.findIndex((line) => /^\s+(raise NotImplementedError|pass +#)/.test(line));
    const lastLine = (kind) =>
      lines
        .slice(0, at)
        .findLast((line) => kind.test(line))
        ?.match(kind);
    const [, indent, method] = lastLine(/^(\s*)def (\w+)/) ?? [];
    if (at >= 0 && method)
      return { file, line: at + 1, name: indent ? `${lastLine(/^class (\w+)/)?.[1]}.${method}` : method };
  }
}

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
