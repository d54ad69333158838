const held = (id) => JSON.parse(document.getElementById(id).textContent);
const commands = new Map(Object.entries(held("commands")));
const specs = held("specs");
const scheme = matchMedia("(prefers-color-scheme: dark)");
const select = document.getElementById("cell");
function choose(name) {
  const made = commands.get(name);
  if (select) select.value = made ? name : "";
  document.getElementById("chosen").textContent = made ? made.command + "\n\n# or as a file for --config FILE\n" + made.config : "No release selected.";
}
async function draw() {
  // Expressions of a chart are interpreted, not compiled, and no style sheet is added: the policy of the page allows neither.
  const drawing = { actions: false, renderer: "svg", theme: scheme.matches ? "dark" : undefined, ast: true, defaultStyle: false, tooltip: { disableDefaultStyle: true } };
  for (const [name, spec] of Object.entries(specs)) {
    const shown = structuredClone(spec);
    for (const one of shown.params || []) if (one.name === "dark") one.value = scheme.matches;
    const { view } = await vegaEmbed("#" + name, shown, drawing);
    if (name === "frontier") view.addEventListener("click", (event, item) => item && item.datum && choose(item.datum.cell));
  }
  document.documentElement.dataset.drawn = Object.keys(specs).length;
}
if (select) select.addEventListener("change", () => choose(select.value));
scheme.addEventListener("change", draw);
draw();
