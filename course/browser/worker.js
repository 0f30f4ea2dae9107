// CPython in a web worker. The worker receives every byte from the page, because its CSP forbids all requests.
// During set-up, Pyodide's own scripts are prepended to this file, so it imports no scripts.

// Functions of the browser that a student's program could use. The CSP already forbids network access.
const REMOVED = ["indexedDB", "caches", "BroadcastChannel", "Worker", "SharedWorker", "importScripts"];

const TYPES = { wasm: "application/wasm", zip: "application/zip" };
const post = self.postMessage.bind(self);
let calls;

async function boot({ files, settings }) {
  const given = { "pyodide.asm.wasm": files["python.wasm"], "python_stdlib.zip": files["python_stdlib.zip"] };
  self.fetch = async (request) => {
    // Pyodide requests its files by URL.
    const name = String(request.url ?? request)
      .split("/")
      .pop();
    if (!given[name]) throw new TypeError(`${name} is not fetched here`);
    return new Response(given[name], { headers: { "Content-Type": TYPES[name.split(".").pop()] } });
  };
  const python = await loadPyodide({
    createPyodideModule,
    indexURL: new URL(".", import.meta.url).href,
    lockFileContents: {
      info: {
        abi_version: "2026_0",
        arch: "wasm32",
        platform: "emscripten_5_0_3",
        python: "3.14.2",
        version: "314.0.7",
      },
      packages: {},
    },
    packageCacheDir: "/tmp",
    fullStdLib: false,
    checkAPIVersion: false,
    env: { HOME: "/home/student", PYTHONHASHSEED: "0", PYTHONDONTWRITEBYTECODE: "1" },
  });
  python.unpackArchive(await files["package.zip"].arrayBuffer(), "zip", { extractDir: "/site" });
  if (files["sheet.zip"])
    python.unpackArchive(await files["sheet.zip"].arrayBuffer(), "zip", { extractDir: "/sheets" });
  for (const name of REMOVED) for (let place = self; place; place = Object.getPrototypeOf(place)) delete place[name];
  python.runPython("import sys; sys.path.insert(0, '/site')");
  calls = python.pyimport("course.browser.worker");
  calls.configure(JSON.stringify(settings), "/sheets");
  post({ kind: "ready", heap: python._module.HEAP8.length });
}

self.onmessage = async ({ data }) => {
  try {
    if (data.kind === "boot") return await boot(data);
    calls.answer(JSON.stringify(data), (text) => post(JSON.parse(text)));
  } catch (error) {
    post({ kind: "failed", message: String(error?.message ?? error).slice(-1500) });
  }
  post({ kind: "done", of: data.kind });
};
