// One event stream per browser: the tab that holds the lock listens and tells the others.
// Without the stream each visible tab asks again every few seconds and mostly hears 304.

const STREAM = "/api/v1/events/stream";
const POLL_MS = 5000;
const OFFLINE_AFTER_MS = 12000;

const regions = () => document.querySelectorAll("[data-live-goal]");
const channel = "BroadcastChannel" in window ? new BroadcastChannel("loopx-live") : null;
let state = "starting"; // of the stream: starting, live, down
let heard = Date.now(); // when the server last answered anything

function refresh(goal) {
  for (const region of regions()) {
    const wanted = region.dataset.liveGoal;
    if (!goal || !wanted || wanted === goal) region.dispatchEvent(new CustomEvent("loopx:refresh"));
  }
}

function pill() {
  const element = document.querySelector("#live-pill");
  if (!element) return;
  const silent = Date.now() - heard;
  const name = state === "live" || silent < POLL_MS + 2000 ? "live" : silent > OFFLINE_AFTER_MS ? "offline" : "reconnecting";
  let text = element.dataset[name];
  if (name === "offline") {
    text += ` ${new Intl.DateTimeFormat(document.documentElement.lang, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(heard)}`;
  }
  element.hidden = false;
  if (element.dataset.state !== name) element.dataset.state = name;
  if (element.textContent !== text) element.textContent = text;
  document.documentElement.dataset.connection = name;
}

function tell(message) {
  channel?.postMessage(message);
  hear(message);
}

function hear(message) {
  if (message.ask) {
    if (source) channel?.postMessage({ state });
    return;
  }
  if (message.state) {
    const back = message.state === "live" && state === "down";
    state = message.state;
    if (state === "live") heard = Date.now();
    if (back) refresh();
  }
  if (message.beat) heard = Date.now();
  if ("goal" in message) {
    heard = Date.now();
    refresh(message.goal);
  }
  pill();
}

let source = null;
function changed(event) {
  let goal = "";
  try {
    goal = JSON.parse(event.data).goal ?? "";
  } catch {
    // A message that is no JSON still says that something changed.
  }
  tell({ goal });
}

function listen() {
  source = new EventSource(STREAM);
  source.addEventListener("open", () => tell({ state: "live" }));
  source.addEventListener("beat", () => tell({ state: "live" }));
  source.addEventListener("message", changed);
  source.addEventListener("error", () => {
    if (state !== "down") tell({ state: "down" });
    // A closed source does not come back by itself; one that is connecting does.
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, POLL_MS);
  });
}

function start() {
  if (!document.querySelector("#live-pill")) return;
  channel?.addEventListener("message", (event) => hear(event.data));
  if (navigator.locks && channel) {
    navigator.locks.request("loopx-live", () => {
      listen();
      return new Promise(() => {}); // held until the tab goes away
    });
    channel.postMessage({ ask: true });
  } else {
    listen();
  }
  setInterval(() => {
    if (state !== "live" && !document.hidden) refresh();
    pill();
  }, POLL_MS);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && state !== "live") refresh();
  });
  pill();
}

document.addEventListener("htmx:after:request", (event) => {
  if (event.detail?.ctx?.response?.status < 500) heard = Date.now();
  pill();
});
document.addEventListener("htmx:after:swap", pill);
// A page that comes back from the browser's cache may be old.
window.addEventListener("pageshow", (event) => event.persisted && refresh());
start();
