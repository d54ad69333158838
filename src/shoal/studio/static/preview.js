// Shows what would be left while the goal, the dial and k are changed. Every answer is measured on a sample of the file.

const box = document.getElementById("preview");
const rows = document.getElementById("preview-rows");
const state = document.getElementById("preview-state");
const token = document.querySelector('meta[name="shoal-change"]').content;
const about = document.getElementById("preview-about");
const k = document.getElementById("k");
const dial = [...document.querySelectorAll('input[name="knows"]')];
const goals = [...document.querySelectorAll('input[name="goal"]')];
const MOST_REPEATED = 2;
let pending = 0;
let asked = 0;

function element(kind, text, name) {
  const made = document.createElement(kind);
  made.textContent = text;
  if (name) made.className = name;
  return made;
}

function shown(row) {
  const line = element("div", "", "preview-row");
  const method = Object.entries(row.settings).map(([name, value]) => `${name} = ${value}`).join(", ");
  line.append(element("p", `${row.method}, ${method}: ${row.does}`, "dim"));
  if (row.kept !== null) {
    const bar = element("meter", "");
    bar.max = 1;
    bar.value = row.kept;
    bar.setAttribute("aria-label", `kept by ${row.method}`);
    line.append(bar);
  }
  line.append(element("p", row.kept === null ? row.left : `keeps ${row.left}`, "left"));
  if (row.risk) line.append(element("p", row.risk, "dim"));
  return line;
}

function show(found, goesOn) {
  about.textContent = found.about ? `Preview: ${found.about}` : "Preview";
  if (found.rows === undefined) {
    rows.replaceChildren();
    state.textContent = `${found.message}. ${found.hint ?? ""}`;
    return;
  }
  rows.replaceChildren(...found.rows.map(shown));
  const measured = found.rows.filter((row) => row.people);
  const whole = measured.length > 0 && measured.every((row) => row.whole);
  const people = Math.min(...measured.map((row) => row.people));
  const on = measured.length ? `Measured on ${whole ? "all" : "a sample of"} ${people.toLocaleString("en")} people.` : "";
  state.textContent = goesOn ? `${on} A larger sample is being measured…`.trim() : on;
}

async function ask(again) {
  const mine = ++asked;
  if (!k.checkValidity()) return;
  box.hidden = false;
  if (again === 0) {
    box.setAttribute("aria-busy", "true");
    state.textContent = rows.children.length ? "Measuring…" : "Reading the file for a preview…";
  }
  const knows = dial.find((one) => one.checked || one.type === "hidden")?.value ?? "";
  const goal = goals.find((one) => one.checked)?.value ?? "";
  const fields = new URLSearchParams({ k: k.value, knows, goal, again });
  const answer = await fetch(box.dataset.address, { method: "POST", body: fields, headers: { "X-Shoal-Change": token, Accept: "application/json" } });
  const found = await answer.json();
  if (mine !== asked || found === null) return;
  box.removeAttribute("aria-busy");
  // A question that is asked again gets more time, and so an answer from larger samples.
  const most = found.rows?.some((row) => row.kept === null) ? MOST_REPEATED + 1 : MOST_REPEATED;
  const goesOn = again < most && Boolean(found.rows?.some((row) => !row.whole));
  show(found, goesOn);
  if (goesOn) await ask(again + 1);
}

function later() {
  clearTimeout(pending);
  pending = setTimeout(() => ask(0), 200);
}

k.addEventListener("input", later);
for (const one of [...dial, ...goals]) one.addEventListener("change", later);
later();
