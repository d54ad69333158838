const commands = JSON.parse(document.getElementById("commands").textContent);
const names = Object.keys(commands);
const points = document.querySelectorAll("[data-release]");
const select = document.getElementById("cell");
function choose(number) {
  const made = commands[names[number]];
  if (select) select.selectedIndex = made ? number + 1 : 0;
  document.getElementById("chosen").textContent = made ? made.command + "\n\n# or as a file for --config FILE\n" + made.config : "No release selected.";
  for (const point of points) point.classList.toggle("chosen-point", made !== undefined && Number(point.dataset.release) === number);
}
for (const point of points) {
  point.addEventListener("click", () => choose(Number(point.dataset.release)));
  point.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    choose(Number(point.dataset.release));
  });
}
if (select) select.addEventListener("change", () => choose(select.selectedIndex - 1));
