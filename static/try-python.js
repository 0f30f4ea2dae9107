// Python in a worker: its files, its time limit, and its restart if it hangs.

const MAX_SILENCE = 30_000; // maximum number of milliseconds between two messages from a busy worker
const MAX_MESSAGES = 20_000; // maximum number of messages from a worker per request

export class Python {
  #worker;
  #ready;
  #bytes;
  #watch;
  #messages = 0;

  // at: the URL of the runtime; sizes: the sizes of the runtime's files;
  // archive: the URL and the size of a sheet that the runtime lacks; settings: values from the page;
  // heard: callback for each message; loaded: callback for the number of loaded bytes;
  // silent: callback for a worker that fails or times out; its argument is the reason, or "" for a timeout.
  constructor({ at, sizes, archive, settings, heard, silent, loaded }) {
    Object.assign(this, { at, sizes, archive, settings, heard, silent, loaded });
  }

  start() {
    this.#ready ??= this.#load()
      .then((files) => this.#boot(files))
      .catch((error) => {
        this.stop();
        throw error;
      });
    return this.#ready;
  }

  #boot(files) {
    return new Promise((resolve, reject) => {
      let booted = false;
      this.#worker = new Worker(`${this.at}worker.js`, { type: "module" });
      this.#worker.onmessage = ({ data }) => {
        if (booted) return this.#hear(data);
        if (data?.kind === "failed") return reject(new Error(data.message));
        booted = data?.kind === "ready";
        if (booted) resolve();
      };
      this.#worker.onerror = (event) => reject(new Error(event.message || "worker"));
      this.#worker.postMessage({ kind: "boot", files, settings: this.settings });
    });
  }

  async ask(message) {
    await this.start();
    this.#messages = 0;
    this.#keepTime();
    this.#worker.postMessage(message);
  }

  stop() {
    clearTimeout(this.#watch);
    this.#worker?.terminate();
    this.#worker = this.#ready = undefined;
  }

  #hear(data) {
    if (data?.kind === "failed") return this.#end(String(data.message).slice(-300));
    if (data?.kind === "done") clearTimeout(this.#watch);
    else this.#keepTime();
    if (++this.#messages > MAX_MESSAGES) return this.#end();
    try {
      // a student's program may post anything
      if (data && typeof data === "object") this.heard(data);
    } catch (error) {
      console.error(error);
    }
  }

  // A worker that has failed or does not respond is terminated. The next request starts another worker.
  #end(reason = "") {
    this.stop();
    this.silent(reason);
  }

  #keepTime() {
    clearTimeout(this.#watch);
    this.#watch = setTimeout(() => this.#end(), MAX_SILENCE);
  }

  // The files are fetched only once, and passed to every restarted worker.
  #load() {
    this.#bytes ??= this.#fetchAll().catch((error) => {
      this.#bytes = undefined;
      throw error;
    });
    return this.#bytes;
  }

  async #fetchAll() {
    const files = Object.entries(this.sizes)
      .filter(([name]) => name !== "worker.js")
      .map(([name, size]) => [name, this.at + name, size]);
    if (this.archive) files.push(["sheet.zip", ...this.archive]);
    const all = files.reduce((sum, [, , size]) => sum + size, 0);
    let have = 0;
    return Object.fromEntries(
      await Promise.all(
        files.map(async ([name, address]) => {
          const answer = await fetch(address);
          if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
          const parts = [];
          for (const reader = answer.body.getReader(); ; ) {
            const { done, value } = await reader.read();
            if (done) return [name, new Blob(parts)];
            parts.push(value);
            have += value.length;
            this.loaded(have, all);
          }
        }),
      ),
    );
  }
}

// A student's program may send anything, so the worker's HTML is rebuilt from the elements listed here.
// Scripts, forms and styles are removed, and all URLs except the URLs of cards and rules.
const TAGS = new Set(
  "div section h2 span ul ol li img p b i a strong small em table thead tbody tr td th caption svg rect image path g text circle line polygon polyline title".split(
    " ",
  ),
);
const ATTRIBUTES =
  /^(class|alt|width|height|role|scope|colspan|lang|viewBox|preserveAspectRatio|x|y|x1|x2|y1|y2|dx|dy|rx|ry|d|cx|cy|r|points|fill|stroke|stroke-width|transform|font-size|font-family|font-weight|text-anchor|aria-(hidden|label|live))$/;
const POINTING = /^(id|aria-labelledby|aria-describedby)$/;
const NAMESPACES = new Set(["http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg"]);

export function rebuilt(html, { cards, rules }) {
  const source = new DOMParser().parseFromString(String(html), "text/html").body;
  const target = document.createDocumentFragment();
  const copy = (from, to) => {
    for (const node of from.childNodes) {
      if (node.nodeType === Node.TEXT_NODE) to.append(node.data);
      if (node.nodeType !== Node.ELEMENT_NODE || /^(script|style|template)$/i.test(node.localName)) continue;
      if (!TAGS.has(node.localName) || !NAMESPACES.has(node.namespaceURI)) {
        copy(node, to);
        continue;
      }
      const element = document.createElementNS(node.namespaceURI, node.localName);
      for (const { name, value } of node.attributes) {
        const picture = /^(src|href)$/.test(name) && /^(img|image)$/.test(node.localName) && isBelow(value, cards);
        const rule =
          name === "href" &&
          node.localName === "a" &&
          value.startsWith(rules) &&
          /^[\w-]*$/.test(value.slice(rules.length));
        if (ATTRIBUTES.test(name) || picture || rule) element.setAttribute(name, value);
        else if (POINTING.test(name))
          element.setAttribute(
            name,
            value
              .split(" ")
              .map((id) => `own-${id}`)
              .join(" "),
          );
      }
      copy(node, element);
      to.append(element);
    }
  };
  copy(source, target);
  return target;
}

const isBelow = (value, folder) => value.startsWith(folder) && /^[\w.-]+$/.test(value.slice(folder.length));

// A student's files are stored only in the browser in which they were selected.
async function kept(mode, act) {
  const opened = await new Promise((resolve, reject) => {
    const request = indexedDB.open("cardgames-own", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("files");
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  try {
    return await new Promise((resolve, reject) => {
      // The promise resolves only after the write, because the user may leave the page immediately.
      const transaction = opened.transaction("files", mode),
        request = act(transaction.objectStore("files"));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onerror = transaction.onabort = () => reject(transaction.error);
    });
  } finally {
    opened.close();
  }
}
export const keepFiles = (sheet, files) =>
  kept("readwrite", (store) => store.put(files, sheet)).then(
    () => true,
    () => false,
  );
export const keptFiles = (sheet) => kept("readonly", (store) => store.get(sheet)).catch(() => undefined);
export const forgetFiles = (sheet) => kept("readwrite", (store) => store.delete(sheet)).catch(() => undefined);
