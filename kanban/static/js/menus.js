// Menus are <details>: they open without script; this closes them on a click elsewhere and on Esc.

const OPEN = "details.menu[open]";

document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll(OPEN)) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

// What was chosen from a menu is done with it; the answer may morph the page around it.
document.addEventListener("submit", (event) => {
  const menu = event.target.closest(OPEN);
  if (menu && !event.target.matches("[data-theme-form]")) setTimeout(() => (menu.open = false));
});

export function closeMenu() {
  const menu = document.querySelector(OPEN);
  if (!menu) return false;
  menu.open = false;
  menu.querySelector("summary").focus();
  return true;
}
