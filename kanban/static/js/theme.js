// The server writes the theme from a cookie; this only saves the reload when it is switched.

const root = document.documentElement;

function show(theme) {
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
  for (const button of document.querySelectorAll("[data-theme-form] button")) {
    button.setAttribute("aria-pressed", String(button.value === theme));
  }
}

document.addEventListener("submit", async (event) => {
  const form = event.target.closest("[data-theme-form]");
  if (!form || !event.submitter) return;
  event.preventDefault();
  const fields = new URLSearchParams(new FormData(form, event.submitter));
  show(event.submitter.value);
  const response = await fetch(form.action, { method: "POST", body: fields, redirect: "manual" }).catch(() => null);
  // An opaque redirect is the answer for "saved"; anything else is worth a full round trip.
  if (response?.type !== "opaqueredirect" && !response?.ok) location.reload();
});
