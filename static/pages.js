// What the pages around the tables gain by a script: times in the reader's zone, an address copied
// or shared at once, a replay by arrow keys, rules beside the table. Every page works without it.
"use strict";

{
  const language = document.documentElement.lang;

  // ---- Times ---------------------------------------------------------------------------------

  const clock = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });

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

  function prepare(root) {
    tellTimes(root);
    offerHandingOn(root);
  }

  prepare(document);
}
