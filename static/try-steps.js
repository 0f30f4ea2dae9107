// The last move, line by line: the code, the variables of the call, and the objects to which they refer.

const MAX_NESTED = 4; // maximum depth of nested boxes
const SUITS = { S: "♠", H: "♥", D: "♦", C: "♣" };
const RANKS = { 1: "A", 11: "J", 12: "Q", 13: "K", 14: "A" };

const $ = (id) => document.getElementById(id);
export const made = (tag, className, ...inside) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...inside);
  return element;
};

export class Steps {
  #steps = [];
  #sources = {};
  #before = {};
  #file;
  #blamed = -1;
  #words;

  constructor(words) {
    this.#words = words;
    const to = (number) => {
      $("step").value = number;
      this.#show();
    };
    $("step").oninput = () => this.#show();
    $("first").onclick = () => to(0);
    $("back").onclick = () => to(+$("step").value - 1);
    $("forth").onclick = () => to(+$("step").value + 1);
    $("blamed").onclick = () => to(this.#blamed);
    $("as-text").ontoggle = () => this.#list();
  }

  // place: the file and line to show first, if the error has a location.
  set({ steps, sources, cut, place }) {
    Object.assign(this.#sources, sources);
    this.#steps = steps;
    $("stepping").hidden = !steps.length;
    $("cut").hidden = !cut;
    if (!steps.length) return;
    this.#blamed = place ? steps.findLastIndex((step) => step.file === place[0] && step.line === place[1]) : -1;
    $("blamed").hidden = this.#blamed < 0;
    $("step").max = steps.length - 1;
    $("step").value = Math.max(this.#blamed, 0);
    this.#file = undefined;
    this.#show();
    this.#list();
  }

  #show() {
    const number = +$("step").value,
      step = this.#steps[number],
      objects = {};
    for (let at = 0; at < number; at++) Object.assign(objects, this.#steps[at].changed);
    this.#before = { ...objects };
    Object.assign(objects, step.changed);
    const where = this.#words("where", {
      step: number + 1,
      steps: this.#steps.length,
      file: step.file,
      line: step.line,
      function: step.function,
    });
    $("where").textContent = where;
    $("step").setAttribute("aria-valuetext", where);
    this.#showSource(step);
    const before = this.#steps[number - 1],
      names = { ...step.names };
    if ("returns" in step) names[this.#words("returns")] = step.returns;
    if (step.raises) names[this.#words("raises")] = step.raises;
    const list = made("dl"),
      changes = (before && step.changed) || {};
    for (const [name, value] of Object.entries(names)) {
      const changed = before?.frame === step.frame && before.names[name] !== value;
      list.append(
        made("dt", changed ? "changed" : "", name),
        made("dd", "", this.#drawn(value, objects, changes, 0, changed)),
      );
    }
    $("objects").replaceChildren(list);
  }

  #showSource(step) {
    const source = $("source");
    if (this.#file !== step.file) {
      const lines = String(this.#sources[step.file] ?? "").split("\n");
      source.replaceChildren(...lines.map((line) => made("span", "", line || " ")));
      this.#file = step.file;
    }
    const old = source.querySelector(".now"),
      line = source.children[step.line - 1];
    old?.classList.remove("now", "blamed");
    old?.removeAttribute("aria-current");
    if (!line) return;
    line.className = +$("step").value === this.#blamed ? "now blamed" : "now";
    line.setAttribute("aria-current", "step");
    source.scrollTop = line.offsetTop - source.offsetTop - source.clientHeight / 2;
  }

  #drawn(value, objects, changes, depth, changed = false) {
    if (typeof value !== "number") return changed ? made("mark", "", value) : document.createTextNode(value);
    const [kind, inside] = objects[value] ?? ["…", []];
    const card = kind === "Card" && this.#card(inside);
    if (card) return card;
    const box = made("span", value in changes ? "box changed" : "box");
    const many = Array.isArray(inside);
    box.append(made("b", "", many ? `${kind} (${inside.length})` : kind));
    if (value in changes) box.append(made("span", "visually-hidden", ` ${this.#words("changed")} `));
    if (depth > MAX_NESTED) {
      box.append("…");
      return box;
    }
    const row = made("span", many ? "row" : "fields");
    const draw = (item) => this.#drawn(item, objects, changes, depth + 1);
    if (many) row.append(...this.#row(inside, value in changes ? this.#before[value]?.[1] : undefined, draw));
    else for (const [key, item] of Object.entries(inside)) row.append(made("span", "", `${key}: `, draw(item)));
    box.append(row);
    return box;
  }

  // The items of a list or queue, shown in a row. Removed items are struck out in their old place, and new items are marked.
  #row(items, before, draw) {
    if (!Array.isArray(before)) return items.map((item) => made("span", "item", draw(item), " "));
    let start = 0,
      end = 0;
    while (start < Math.min(items.length, before.length) && items[start] === before[start]) start++;
    while (end < Math.min(items.length, before.length) - start && items.at(-1 - end) === before.at(-1 - end)) end++;
    const part = (tag, list, from, to) => list.slice(from, to).map((item) => made(tag, "item", draw(item), " "));
    return [
      ...part("span", items, 0, start),
      ...part("del", before, start, before.length - end),
      ...part("ins", items, start, items.length - end),
      ...part("span", items, items.length - end),
    ];
  }

  // An object is drawn as a card if it has attributes for a rank and a suit. A face-up flag is optional.
  #card(fields) {
    const texts = Object.entries(fields)
      .filter(([, value]) => typeof value === "string")
      .map(([name, value]) => [name.toLowerCase(), value.replaceAll("'", "")]);
    const named = (part) => texts.find(([name]) => name.includes(part))?.[1];
    let rank = named("rank"),
      suit = named("suit");
    if (/^\d+$/.test(suit)) suit = " CDHS"[suit];
    rank = RANKS[rank] ?? (rank === "T" ? "10" : rank);
    suit = suit?.[0]?.toUpperCase();
    if (!rank || !SUITS[suit]) return undefined;
    const down = texts.some(([name, value]) => name.includes("face") && value === "False");
    const card = made("span", `own-card ${suit}${down ? " down" : ""}`, `${rank}${SUITS[suit]}\uFE0E`);
    card.title = "Card";
    return card;
  }

  // The same steps as a text list. The list is created when the reader opens it.
  #list() {
    if (!$("as-text").open) return;
    $("step-list").replaceChildren(
      ...this.#steps.map((step, at) => {
        const line = (this.#sources[step.file] ?? "").split("\n")[step.line - 1]?.trim() ?? "";
        const before = this.#steps[at - 1];
        const plain = Object.entries(step.names).filter(
          ([name, value]) =>
            typeof value === "string" && (before?.frame !== step.frame || before.names[name] !== value),
        );
        const end =
          "returns" in step && typeof step.returns === "string"
            ? `${this.#words("returns")} ${step.returns}`
            : plain.map(([name, value]) => `${name} = ${value}`).join(", ");
        return made(
          "li",
          at === this.#blamed ? "blamed" : "",
          made("b", "", `${step.file} ${step.line}: `),
          made("code", "", line),
          end ? ` – ${end}` : "",
        );
      }),
    );
  }
}
