// Shows the routes that protect against what an attacker may know. All of them were measured; none is changed.

const dial = [...document.querySelectorAll('input[name="knows"]')];

function filter() {
  const knows = Number(dial.find((one) => one.checked)?.value ?? 0);
  for (const section of document.querySelectorAll(".routes")) {
    const cards = [...section.querySelectorAll(".route")];
    for (const card of cards) card.hidden = card.dataset.knows !== "" && Number(card.dataset.knows) < knows;
    section.querySelector(".none-left").hidden = !cards.length || cards.some((card) => !card.hidden);
  }
}

for (const one of dial) one.addEventListener("change", filter);
filter();
