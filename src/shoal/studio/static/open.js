// Uploads a file that is dropped or chosen, and completes paths below the root.

const token = document.querySelector('meta[name="shoal-change"]').content;

function upload(box, file) {
  const bar = document.getElementById("upload");
  const problem = document.getElementById("upload-problem");
  problem.textContent = "";
  bar.hidden = false;
  // XMLHttpRequest, because fetch does not report the progress of an upload.
  const request = new XMLHttpRequest();
  request.open("POST", box.dataset.address);
  request.setRequestHeader("X-Shoal-Change", token);
  request.setRequestHeader("X-File-Name", encodeURIComponent(file.name));
  request.setRequestHeader("Accept", "application/json");
  request.setRequestHeader("Content-Type", "application/octet-stream");
  request.responseType = "json";
  request.upload.addEventListener("progress", (event) => { bar.value = (100 * event.loaded) / Math.max(1, event.total); });
  const failed = (text) => { bar.hidden = true; problem.textContent = text; };
  request.addEventListener("load", () => {
    if (request.status === 200 && request.response) location.assign(request.response.location);
    else failed(request.response?.message ?? "The file could not be uploaded.");
  });
  request.addEventListener("error", () => failed("The studio does not answer, or the file is too large."));
  request.send(file);
}

for (const box of document.querySelectorAll(".drop")) {
  const input = box.querySelector("input");
  input.addEventListener("change", () => { if (input.files.length) upload(box, input.files[0]); });
  for (const name of ["dragover", "dragenter"]) {
    box.addEventListener(name, (event) => { event.preventDefault(); box.classList.add("over"); });
  }
  box.addEventListener("dragleave", () => box.classList.remove("over"));
  box.addEventListener("drop", (event) => {
    event.preventDefault();
    box.classList.remove("over");
    if (event.dataTransfer.files.length) upload(box, event.dataTransfer.files[0]);
  });
}
// A file that misses the box must not replace the page.
for (const name of ["dragover", "drop"]) window.addEventListener(name, (event) => event.preventDefault());

const path = document.getElementById("path");
let pending = 0;
path?.addEventListener("input", () => {
  clearTimeout(pending);
  pending = setTimeout(async () => {
    const answer = await fetch(`/open/names?typed=${encodeURIComponent(path.value)}`);
    if (!answer.ok) return;
    const names = await answer.json();
    document.getElementById("names").replaceChildren(...names.map((name) => {
      const option = document.createElement("option");
      option.value = name;
      return option;
    }));
  }, 150);
});
