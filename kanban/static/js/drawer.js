// The card drawer: focus goes in and comes back, Esc closes, typed text is not lost unasked.

const slot = document.querySelector("#drawer-slot");
let opener = null;

function drawer() {
  return slot.querySelector(".drawer");
}

function unsaved() {
  return [...slot.querySelectorAll("textarea, input[type=text]")].some((field) => field.value !== field.defaultValue);
}

function mark() {
  const open = drawer()?.dataset.card;
  for (const card of document.querySelectorAll(".card.selected")) card.classList.remove("selected");
  if (open) document.getElementById(open)?.classList.add("selected");
}

export function closeDrawer() {
  const close = drawer()?.querySelector("[data-close]");
  if (!close) return false;
  if (unsaved() && !window.confirm(slot.dataset.confirm || close.dataset.confirm)) return true;
  const card = drawer().dataset.card;
  slot.replaceChildren();
  history.pushState({ htmx: true }, "", close.getAttribute("href").split("#")[0]);
  document.title = close.dataset.title || document.title;
  mark();
  const back = opener?.isConnected ? opener : document.querySelector(`#${CSS.escape(card ?? "")} .card-title a`);
  back?.focus({ preventScroll: true });
  return true;
}

document.addEventListener("click", (event) => {
  const close = event.target.closest("[data-close]");
  // On a page of its own the link leads back to the board by itself.
  if (close && !event.ctrlKey && !event.metaKey && !event.shiftKey && document.querySelector(".board")) {
    event.preventDefault();
    closeDrawer();
  }
  const link = event.target.closest("a[hx-target='#drawer-slot']");
  if (link) opener = link;
});

// A fragment in the address asks for one part: "#answer" puts the focus into the answer form.
document.addEventListener("htmx:after:swap", (event) => {
  mark();
  if (event.detail?.ctx?.target !== slot) return;
  drawer()?.querySelector(".drawer-body")?.focus({ preventScroll: true });
});

mark();
