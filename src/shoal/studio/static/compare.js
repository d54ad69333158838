// Chooses the release of a point, and shows further releases of a comparison as they are finished.

const box = document.getElementById("cells");
const job = document.getElementById("job");
let finished = -1;
let asked = 0;

function choose(number) {
  for (const one of box.querySelectorAll("details.cell")) one.open = one.id === `release-${number}`;
  for (const point of box.querySelectorAll(".pick")) point.classList.toggle("chosen-point", point.dataset.release === number);
  const chosen = document.getElementById(`release-${number}`);
  chosen?.scrollIntoView({ block: "center" });
  chosen?.querySelector("summary").focus({ preventScroll: true });
}

box.addEventListener("click", (event) => {
  const point = event.target.closest(".pick");
  if (point) choose(point.dataset.release);
});
box.addEventListener("keydown", (event) => {
  const point = event.target.closest(".pick");
  if (!point || (event.key !== "Enter" && event.key !== " ")) return;
  event.preventDefault();
  choose(point.dataset.release);
});

async function refresh() {
  const mine = ++asked;
  const answer = await fetch(job.dataset.cells);
  // A form that somebody fills in is not replaced under their hands; the next release brings this one too.
  if (!answer.ok || mine !== asked || box.querySelector("details[open]")) return;
  const shown = await answer.text();
  if (!box.querySelector("details[open]")) box.innerHTML = shown;
}

document.addEventListener("job-event", ({ detail }) => {
  if (detail.event !== "progress" || detail.label !== "comparing" || detail.done === finished) return;
  finished = detail.done;
  refresh();
});
