// How far a run of the lab is, without loading its page again. Without this file it refreshes.
"use strict";

{
  const EVERY = 1000; // milliseconds
  const percent = new Intl.NumberFormat(document.documentElement.lang, { style: "percent" });
  const shown = () => document.querySelector("[data-status]");

  async function ask() {
    const run = shown();
    if (!run) return; // it is over
    try {
      const answer = await fetch(run.dataset.status, { headers: { Accept: "application/json" } });
      if (!answer.ok) throw answer.status;
      const { phase, done, steps } = await answer.json();
      if (phase === run.dataset.phase) tell(run, done, steps);
      else await swap();
    } catch {
      // The server is away, or busy: it is asked again.
    }
    setTimeout(ask, EVERY);
  }

  function tell(run, done, steps) {
    const share = percent.format(Math.floor((100 * done) / steps) / 100);
    run.querySelector("progress").value = done;
    const words = run.querySelector("[data-share]");
    if (words && words.textContent !== share) {
      words.textContent = share;
      document.title = `${share} – ${document.title.replace(/^[\d\s.,]*%\s– /, "")}`;
    }
  }

  async function swap() {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!answer.ok) throw answer.status;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = document.adoptNode(page.querySelector("main"));
    document.querySelector("main").replaceWith(fresh);
    document.title = page.title;
    const live = document.querySelector("body > [role=status]");
    if (live) live.textContent = fresh.querySelector("#conclusion, .notice, .prompt")?.textContent ?? "";
  }

  setTimeout(ask, EVERY);
}
