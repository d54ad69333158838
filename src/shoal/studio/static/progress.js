// Follows the events of a job and shows its stage, its progress and the time left; then goes on.

const box = document.getElementById("job");
const label = document.getElementById("progress-label");
const bar = document.getElementById("progress");
const notes = document.getElementById("notes");
const stages = [...document.querySelectorAll("#stages li")];
let begun = { label: "", at: 0, done: 0 };

function showStage(event) {
  stages.forEach((item, n) => {
    item.classList.toggle("past", n < event.index - 1);
    if (n === event.index - 1) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
  });
  label.textContent = `step ${event.index} of ${event.count}: ${event.name}`;
  bar.removeAttribute("value");
}

function timeLeft(event) {
  if (event.label !== begun.label || event.done < begun.done) begun = { label: event.label, at: event.at, done: event.done };
  const passed = event.at - begun.at;
  const worked = event.done - begun.done;
  if (!event.total || passed < 2 || worked <= 0) return "";
  const left = (passed * (event.total - event.done)) / worked;
  return left < 90 ? `, about ${Math.ceil(left)} s left` : `, about ${Math.ceil(left / 60)} min left`;
}

function showProgress(event) {
  const share = event.total ? Math.min(1, event.done / event.total) : null;
  const percent = share === null ? "" : ` ${Math.round(100 * share)} %`;
  const remark = event.remark ? `, ${event.remark}` : "";
  label.textContent = `${event.label}${percent}${timeLeft(event)}${remark}`;
  if (share === null) bar.removeAttribute("value");
  else bar.value = 100 * share;
}

function showNote(event) {
  if (!notes) return;
  const item = document.createElement("li");
  item.textContent = event.text;
  if (event.event === "warn") item.className = "alarm";
  notes.append(item);
}

const show = { stage: showStage, progress: showProgress, note: showNote, warn: showNote };
const source = new EventSource(box.dataset.events);
source.addEventListener("message", (message) => {
  const event = JSON.parse(message.data);
  if (event.event === "end") {
    source.close();
    location.replace(box.dataset.next);
  } else {
    show[event.event]?.(event);
    document.dispatchEvent(new CustomEvent("job-event", { detail: event }));
  }
});
// After a lost connection the browser asks again, and the server sends all events from the first one.
source.addEventListener("open", () => notes?.replaceChildren());
