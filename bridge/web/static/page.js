// What htmx does not do by itself: say aloud what changed, and lead back where a page has grown too old.
"use strict";

document.addEventListener("htmx:afterSwap", (event) => {
  const said = event.detail.target.querySelector("[data-say]");
  if (said) document.getElementById("status").textContent = said.dataset.say;
});

document.addEventListener("htmx:responseError", (event) => {
  document.getElementById("status").textContent = "That did not work.";
  if (event.detail.xhr.status === 403) location.reload();
});
