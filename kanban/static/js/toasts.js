// Toasts leave after 8 s, or when their undo window ends; never while hovered or focused.

const STAY = 8000;
const timers = new WeakMap();

function start(toast) {
  const until = toast.dataset.until ? Date.parse(toast.dataset.until) - Date.now() : 0;
  timers.set(toast, setTimeout(() => leave(toast), Math.max(until, STAY)));
}

function leave(toast) {
  if (toast.matches(":hover, :focus-within")) start(toast);
  else toast.remove();
}

function welcome() {
  for (const toast of document.querySelectorAll("[data-toast]")) {
    if (timers.has(toast)) continue;
    toast.querySelector("[data-dismiss]")?.removeAttribute("hidden");
    start(toast);
  }
}

document.addEventListener("click", (event) => {
  if (event.target.closest("[data-dismiss]")) event.target.closest("[data-toast]").remove();
});
document.addEventListener("htmx:after:swap", welcome);
welcome();
