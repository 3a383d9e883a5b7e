// "/" goes to the search box; Esc closes what is open, the innermost first.
import { closeDrawer } from "./drawer.js";
import { closeMenu } from "./menus.js";

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
    const search = document.querySelector("#search");
    if (search) {
      event.preventDefault();
      search.focus();
    }
  }
  if (event.key === "Escape") closeMenu() || closeDrawer();
});
