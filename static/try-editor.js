// The code editor of the page.
import { coloured } from "./try-colours.js";

const $ = (id) => document.getElementById(id);

// Return the nodes for a text. Code between backticks becomes a code element without the backticks.
export const coded = (text) =>
  String(text)
    .split("`")
    .map((part, at) => (at % 2 ? Object.assign(document.createElement("code"), { textContent: part }) : part));

// A text field with line numbers. The Return key continues the indentation of the line.
// The Tab key leaves the field, as it does everywhere, so that keyboard users are not trapped.
export class Editor {
  #name;
  #changed;
  #later;

  // changed: called with a file's name and text, shortly after the last keystroke.
  constructor(changed) {
    this.#changed = changed;
    const field = $("code");
    field.oninput = () => {
      this.#show();
      clearTimeout(this.#later);
      this.#later = setTimeout(() => this.save(), 400);
    };
    field.onscroll = () => {
      $("numbers").scrollTop = $("coloured").scrollTop = field.scrollTop;
      $("coloured").scrollLeft = field.scrollLeft;
    };
    field.onkeydown = (event) => {
      if (event.key === "Enter" && !event.isComposing) this.#newLine(event);
    };
    $("close").onclick = () => this.close();
  }

  // step: the optional message above the text.
  open(name, text, ...step) {
    this.save();
    this.#name = name;
    $("code").value = text;
    $("editing").hidden = false;
    $("edited").textContent = name;
    $("first-step").replaceChildren(...step);
    this.#show();
    $("code").setSelectionRange(0, 0);
    $("code").focus();
    $("code").scrollTop = 0;
  }

  // line: counted from 1.
  select(line) {
    const lines = $("code").value.split("\n"),
      from = lines.slice(0, line - 1).join("\n").length + (line > 1);
    $("code").setSelectionRange(from, from + (lines[line - 1] ?? "").length);
    $("code").scrollTop = (line - 4) * ($("code").scrollHeight / lines.length);
  }

  save() {
    clearTimeout(this.#later);
    if (this.#name !== undefined) this.#changed(this.#name, $("code").value);
  }

  close(name = this.#name) {
    if (name !== this.#name) return;
    this.save();
    this.#name = undefined;
    if ($("editing").contains(document.activeElement)) {
      $("chosen-box").open = true; // because only a visible element can have the focus
      $("chosen").querySelector("button")?.focus();
    }
    $("editing").hidden = true;
  }

  #newLine(event) {
    const field = event.target,
      line = field.value.slice(0, field.selectionStart).split("\n").pop();
    const indent = line.match(/^ */)[0] + (/:\s*(#.*)?$/.test(line) ? "    " : "");
    event.preventDefault();
    field.setRangeText(`\n${indent}`, field.selectionStart, field.selectionEnd, "end");
    field.dispatchEvent(new Event("input"));
  }

  // The line numbers, and the coloured text below the field's own text, which is transparent.
  #show() {
    const text = $("code").value,
      lines = text.split("\n").length;
    $("numbers").textContent = Array.from({ length: lines }, (_, at) => at + 1).join("\n");
    $("coloured").replaceChildren(...coloured(text), "\n");
  }
}
