"use strict";
(() => {
  const form = document.getElementById("filter");
  if (!form) return;
  const cards = [...document.querySelectorAll(".finding")];
  const texts = cards.map((card) => card.textContent.toLowerCase());
  const shown = document.getElementById("shown");
  const search = form.elements.namedItem("text");

  const apply = () => {
    const levels = new Set([...form.querySelectorAll("[name=level]:checked")].map((box) => box.value));
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    cards.forEach((card, i) => {
      const fits = levels.has(card.dataset.level) && words.every((word) => texts[i].includes(word));
      card.hidden = !fits;
      count += fits ? 1 : 0;
    });
    shown.textContent = count === cards.length ? "" : `${count} of ${cards.length} shown`;
  };

  form.hidden = false;
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  document.addEventListener("keydown", (event) => {
    const typing = /^(input|textarea|select)$/i.test(event.target.tagName);
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    search.focus();
  });
  // A link to one finding must show it, even while the filter hides it.
  window.addEventListener("hashchange", () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target) target.hidden = false;
  });
  apply(); // the browser may have kept the filter over a reload
})();
