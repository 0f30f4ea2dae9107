// What the pages around the tables gain by a script: times in the reader's zone, an address copied
// or shared at once, a replay by arrow keys, rules beside the table. Every page works without it.
"use strict";

{
  const language = document.documentElement.lang;

  // ---- Times ---------------------------------------------------------------------------------

  const own = navigator.languages.find((one) => one.startsWith(language)) ?? language;
  const clock = new Intl.DateTimeFormat(own, { dateStyle: "medium", timeStyle: "short" });

  function tellTimes(root) {
    for (const time of root.querySelectorAll("time[datetime]")) {
      const moment = new Date(time.dateTime);
      if (!Number.isNaN(moment.valueOf())) time.textContent = clock.format(moment);
    }
  }

  // ---- Handing an address on -----------------------------------------------------------------

  function offerHandingOn(root) {
    for (const box of root.querySelectorAll(".handing-on")) {
      const { address, title } = box.dataset;
      if (navigator.clipboard) box.querySelector("[data-copy]").hidden = false;
      if (navigator.canShare?.({ title, url: address })) {
        box.querySelector("[data-share]").hidden = false;
        box.querySelector("[data-mail]").hidden = true;
      }
      box.querySelector("textarea").addEventListener("focus", (event) => event.target.select());
    }
  }

  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("[data-copy], [data-share]");
    if (!button) return;
    const box = button.closest(".handing-on");
    const { address, title, copied } = box.dataset;
    try {
      if ("share" in button.dataset) {
        await navigator.share({ title, url: address });
      } else {
        await navigator.clipboard.writeText(address);
        const label = button.textContent;
        button.textContent = `${copied} ✓`;
        setTimeout(() => (button.textContent = label), 2000);
      }
    } catch {
      box.querySelector("textarea").focus(); // refused, or thought better of: it can be copied by hand
    }
  });

  // ---- A replay: a slider that needs no button, and the arrow keys ---------------------------

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

  function prepare(root) {
    tellTimes(root);
    offerHandingOn(root);
    freeSlider(root);
  }

  prepare(document);
}
