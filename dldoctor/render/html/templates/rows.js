// The rows to look at: filter, search, pages.
(() => {
  const form = document.getElementById("row-filter");
  if (!form) return;
  const size = 24;
  const cards = [...document.querySelectorAll(".row-card")];
  const texts = cards.map((card) => card.textContent.toLowerCase());
  const search = form.elements.namedItem("words");
  const odd = form.elements.namedItem("odd");
  const bars = [...document.querySelectorAll(".pager")];
  let page = 0;

  const apply = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fitting = cards.filter(
      (card, i) => !(odd && odd.checked && card.classList.contains("plain")) && words.every((word) => texts[i].includes(word)),
    );
    const pages = Math.max(1, Math.ceil(fitting.length / size));
    page = Math.min(Math.max(page, 0), pages - 1);
    const shown = new Set(fitting.slice(page * size, (page + 1) * size));
    cards.forEach((card) => {
      card.hidden = !shown.has(card);
      // A sound that nobody sees should not go on.
      if (card.hidden) card.querySelectorAll("audio").forEach((audio) => audio.pause());
    });
    const first = fitting.length ? page * size + 1 : 0;
    document.getElementById("rows-shown").textContent =
      `${first} to ${page * size + shown.size} of ${fitting.length}` + (fitting.length === cards.length ? "" : ` that fit, of ${cards.length}`);
    bars.forEach((bar) => {
      bar.hidden = pages === 1;
      bar.querySelector("[data-page]").textContent = `page ${page + 1} of ${pages}`;
      bar.querySelectorAll("button").forEach((button) => {
        button.disabled = page + Number(button.dataset.step) < 0 || page + Number(button.dataset.step) >= pages;
      });
    });
  };

  const turn = (step) => {
    page += step;
    apply();
    document.getElementById("rows").scrollIntoView();
  };

  form.hidden = false;
  form.addEventListener("input", () => {
    page = 0;
    apply();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  bars.forEach((bar) =>
    bar.addEventListener("click", (event) => {
      const button = event.target.closest("button");
      if (button) turn(Number(button.dataset.step));
    }),
  );
  apply();
})();
