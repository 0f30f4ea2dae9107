// Additions to the pages around the tables, which also work without this file:
// times in the reader's time zone, buttons that copy or share a URL, arrow keys in a replay, rules next to the table.
"use strict";

{
  const language = document.documentElement.lang;

  // ---- Times ---------------------------------------------------------------------------------

  const locale = navigator.languages.find((tag) => tag.startsWith(language)) ?? language;
  const clock = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });

  function tellTimes(root) {
    for (const time of root.querySelectorAll("time[datetime]")) {
      const moment = new Date(time.dateTime);
      if (!Number.isNaN(moment.valueOf())) time.textContent = clock.format(moment);
    }
  }

  // ---- Sharing a URL -------------------------------------------------------------------------

  // The shared data: a URL with its title, or a line of text.
  const shared = ({ address, title, text }) => (text ? { text } : { title, url: address });

  function offerHandingOn(root) {
    for (const box of root.querySelectorAll(".share")) {
      if (navigator.clipboard) box.querySelector("[data-copy]").hidden = false;
      if (navigator.canShare?.(shared(box.dataset))) {
        box.querySelector("[data-share]").hidden = false;
        const mail = box.querySelector("[data-mail]");
        if (mail) mail.hidden = true;
      }
      box.querySelector("textarea").addEventListener("focus", (event) => event.target.select());
    }
  }

  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("[data-copy], [data-share]");
    if (!button) return;
    const box = button.closest(".share");
    const { address, text, copied } = box.dataset;
    try {
      if ("share" in button.dataset) {
        await navigator.share(shared(box.dataset));
      } else {
        await navigator.clipboard.writeText(text ?? address);
        const label = button.textContent;
        button.textContent = `${copied} ✓`;
        setTimeout(() => button.replaceChildren(label), 2000);
      }
    } catch {
      box.querySelector("textarea").focus(); // sharing was rejected or cancelled, so the text can be copied by hand
    }
  });

  // ---- A replay: a slider without a button, and the arrow keys -------------------------------

  const STEPS = { ArrowLeft: "prev", ArrowRight: "next", Home: "first", End: "last" };

  document.addEventListener("keydown", (event) => {
    const step = STEPS[event.key];
    const taken = event.defaultPrevented || event.ctrlKey || event.altKey || event.metaKey;
    if (!step || taken || event.shiftKey || event.target.closest?.("input, textarea, [tabindex], dialog")) return;
    const link = document.querySelector(`.steps a[rel="${step}"]`);
    if (!link) return;
    event.preventDefault();
    link.click();
  });

  function freeSlider(root) {
    const slider = root.querySelector(".slider");
    if (!slider) return;
    slider.classList.add("live");
    slider.addEventListener("change", () => slider.requestSubmit());
  }

  // ---- Rules next to the table, instead of on a separate page --------------------------------

  document.addEventListener("click", async (event) => {
    const link = event.target.closest?.("a[href]");
    const plain = event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
    if (!link || plain || event.defaultPrevented) return;
    const there = new URL(link.href);
    if (!there.pathname.endsWith("/rules") || there.pathname === location.pathname) return;
    event.preventDefault();
    try {
      const answer = await fetch(there, { signal: AbortSignal.timeout(10_000) });
      if (!answer.ok) throw answer.status;
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      openBeside(document.adoptNode(page.querySelector("main")), there.hash);
    } catch {
      location.assign(there);
    }
  });

  function openBeside(main, hash) {
    document.querySelector("dialog.beside")?.close();
    const dialog = document.createElement("dialog");
    const content = document.createElement("div");
    const form = document.createElement("form");
    dialog.className = "beside";
    content.className = "page";
    content.tabIndex = 0;
    content.append(...main.childNodes);
    const heading = content.querySelector("h1");
    heading.id = "beside-heading";
    dialog.setAttribute("aria-labelledby", heading.id);
    form.method = "dialog";
    form.append(Object.assign(document.createElement("button"), { textContent: "OK" }));
    dialog.append(content, form);
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
    form.querySelector("button").focus();
    if (hash) {
      const rule = content.querySelector(`[id="${CSS.escape(hash.slice(1))}"]`);
      rule?.classList.add("asked");
      rule?.scrollIntoView({ block: "start" });
    }
  }

  function prepare(root) {
    tellTimes(root);
    offerHandingOn(root);
    freeSlider(root);
  }

  prepare(document);
  // A move replaces <main>.
  new MutationObserver((changes) => {
    const added = changes.flatMap((change) => [...change.addedNodes]);
    for (const node of added) if (node.localName === "main") prepare(node);
  }).observe(document.body, { childList: true });
}
