"use strict";
(() => {
  const bar = document.querySelector(".player");
  const parts = [...document.querySelectorAll("[data-n]")];
  const times = bar.dataset.times.split(" ").map(Number);
  const [button, range, where, speed] = ["button", "input", "output", "select"].map((it) => bar.querySelector(it));
  const longestPause = 2500;
  let at = times.length, timer = 0;
  const show = (n) => {
    at = n;
    for (const it of parts) it.hidden = Number(it.dataset.n) > n;
    range.value = String(n);
    where.value = `${n}/${times.length}`;
  };
  const stop = () => {
    clearTimeout(timer);
    timer = 0;
    button.textContent = bar.dataset.play;
  };
  const step = () => {
    if (at >= times.length) return stop();
    const pause = at > 0 ? Math.min(longestPause, times[at] - times[at - 1]) : 0;
    timer = setTimeout(() => {
      show(at + 1);
      parts.filter((it) => Number(it.dataset.n) === at).at(-1)?.scrollIntoView({ block: "end" });
      step();
    }, Math.max(16, pause / Number(speed.value)));
  };
  button.addEventListener("click", () => {
    if (timer) return stop();
    if (at >= times.length) show(0);
    button.textContent = bar.dataset.pause;
    step();
  });
  range.addEventListener("input", () => {
    stop();
    show(Number(range.value));
  });
  bar.hidden = false;
  show(at);
})();
