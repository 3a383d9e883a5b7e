// The page's behaviour. Everything works without it for reading and answering.
import "./theme.js";
import "./menus.js";
import "./clock.js";
import "./toasts.js";
import "./drawer.js";
import "./keys.js";
import "./live.js";
