// Turns <time datetime data-as> into words that stay true while the page is open.
// The server has already written words; it cannot know the reader's time zone nor keep counting.

const language = document.documentElement.lang;
const words = JSON.parse(document.body.dataset.words || "{}");
const clock = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const day = new Intl.DateTimeFormat(language, { weekday: "short", day: "numeric", month: "short" });

function fill(pattern, value) {
  return (pattern ?? "%s").replace("%s", value);
}

export function duration(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return fill(words.seconds, whole);
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return fill(words.minutes, minutes);
  const hours = Math.floor(minutes / 60);
  if (hours < 24) {
    const rest = minutes % 60;
    return rest ? `${fill(words.hours, hours)} ${fill(words.minutes, rest)}` : fill(words.hours, hours);
  }
  const days = Math.floor(hours / 24);
  return fill(days === 1 ? words.day : words.days, days);
}

function point(date) {
  const same = date.toDateString() === new Date().toDateString();
  return same ? clock.format(date) : `${day.format(date)} ${clock.format(date)}`;
}

const say = {
  // How long ago or until: plain length, the sentence around it says which.
  age: (date, now) => duration((now - date) / 1000),
  left: (date, now) => duration((date - now) / 1000),
  clock: (date) => clock.format(date),
  point,
  day: (date) => day.format(date),
};

export function tick(root = document) {
  const now = Date.now();
  for (const element of root.querySelectorAll("time[data-as]")) {
    const date = new Date(element.dateTime);
    const text = say[element.dataset.as]?.(date, now);
    if (text && element.textContent !== text) element.textContent = text;
    if (!element.title) element.title = point(date);
  }
}

// Under a minute the words change each second, so one second is the beat while the page is seen.
setInterval(() => document.hidden || tick(), 1000);
document.addEventListener("htmx:after:swap", () => tick());
document.addEventListener("visibilitychange", () => document.hidden || tick());
tick();
