// Syntax highlighting for Python in the page's own editor.

const KEYWORDS =
  "False|None|True|and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|" +
  "if|import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield|self";

// An unclosed string ends at the end of its line or, if it is triple-quoted, at the end of the text.
const STRINGS = [
  '"""[^]*?(?:"""|$)',
  "'''[^]*?(?:'''|$)",
  '"(?:\\\\.|[^"\\\\\\n])*"?',
  "'(?:\\\\.|[^'\\\\\\n])*'?",
].join("|");

const TOKENS = new RegExp(
  [
    "(?<comment>#.*)",
    `(?<string>(?:\\b[rRbBfFuU]{1,2})?(?:${STRINGS}))`,
    "(?<=\\b(?:def|class)\\s+)(?<name>\\w+)",
    `\\b(?<keyword>${KEYWORDS})\\b`,
    "\\b(?<number>\\d[\\w.]*)",
  ].join("|"),
  "g",
);

const MAX_LENGTH = 100_000; // maximum number of characters; longer code has a single colour

// Return Python code as nodes: each token is a span whose class is the token's kind.
export function coloured(text) {
  if (text.length > MAX_LENGTH) return [text];
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(TOKENS)) {
    const [kind] = Object.entries(match.groups).find(([, token]) => token !== undefined);
    const span = Object.assign(document.createElement("span"), { className: kind, textContent: match[0] });
    nodes.push(text.slice(end, match.index), span);
    end = match.index + match[0].length;
  }
  return [...nodes, text.slice(end)];
}
