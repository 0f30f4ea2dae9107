// The calls of a Bingo round: the seconds until the next call, a tone and a voice. The pages work without this file.
"use strict";

{
  const SWITCHES = ["tone", "voice"];
  const FREQUENCY = 660; // hertz

  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let audio = null;
  let called = main()?.dataset.call; // calls made before this page was opened are not announced
  let timer = 0;

  function main() {
    return document.querySelector("main");
  }

  // ---- The ring ----

  // The server sent the time that remained when it rendered the page.
  function wind() {
    clearInterval(timer);
    const ring = document.querySelector(".ring");
    if (!ring) return;
    const [left, every] = [Number(ring.dataset.left), Number(ring.dataset.every)];
    const end = performance.now() + left * 1000;
    const count = () => {
      ring.querySelector("b").textContent = Math.max(0, Math.ceil((end - performance.now()) / 1000));
    };
    count();
    timer = setInterval(count, 250);
    const frames = { strokeDashoffset: [1 - Math.min(1, left / every), 1] };
    if (!still.matches) ring.querySelector(".hand").animate(frames, { duration: left * 1000, fill: "forwards" });
  }

  // ---- A tone and a voice, if the reader has switched them on ----

  function isOn(name) {
    try {
      return localStorage.getItem(`class-${name}`) === "on";
    } catch {
      return false; // the browser blocks storage
    }
  }

  function hear() {
    const { call, spoken } = main().dataset;
    if (call === called) return;
    called = call;
    if (!spoken) return;
    if (isOn("tone")) sound();
    if (isOn("voice")) say(spoken);
  }

  function sound() {
    audio ??= new AudioContext();
    audio.resume();
    const at = audio.currentTime;
    const tone = new OscillatorNode(audio, { type: "triangle", frequency: FREQUENCY });
    const volume = new GainNode(audio, { gain: 0.15 });
    volume.gain.exponentialRampToValueAtTime(0.001, at + 0.4);
    tone.connect(volume).connect(audio.destination);
    tone.start(at);
    tone.stop(at + 0.4);
  }

  function say(text) {
    const words = new SpeechSynthesisUtterance(text);
    words.lang = document.documentElement.lang;
    speechSynthesis.cancel(); // stops announcing the previous call, so that the voice is at most one call late
    speechSynthesis.speak(words);
  }

  function offer() {
    for (const button of document.querySelectorAll("button[data-switch]")) {
      button.hidden = !SWITCHES.includes(button.dataset.switch);
      button.setAttribute("aria-pressed", String(isOn(button.dataset.switch)));
    }
  }

  document.addEventListener("click", (event) => {
    const name = event.target.closest?.("button[data-switch]")?.dataset.switch;
    if (!name) return;
    try {
      localStorage.setItem(`class-${name}`, isOn(name) ? "off" : "on");
    } catch {
      // the setting stays off
    }
    offer();
    if (name === "tone" && isOn(name)) sound(); // a click unlocks audio for later tones
    if (name === "voice" && isOn(name)) say(main().dataset.spoken ?? "");
    else if (name === "voice") speechSynthesis.cancel();
  });

  function begin() {
    wind();
    offer();
    hear();
  }

  document.addEventListener("renewed", begin);
  begin();
}
