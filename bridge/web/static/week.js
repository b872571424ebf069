// Drag a suggestion of the week to a coming slot. The form that is used without a mouse does the move.
"use strict";

let dragged = null;

document.addEventListener("dragstart", (event) => {
  dragged = event.target.closest("[draggable=true]");
  if (!dragged) return;
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", "");
  document.querySelector(".week").classList.add("moving");
});

document.addEventListener("dragend", () => {
  dragged = null;
  document.querySelector(".week").classList.remove("moving");
});

for (const slot of document.querySelectorAll("[data-slot]")) {
  slot.addEventListener("dragover", (event) => {
    if (!dragged) return;
    event.preventDefault();
    slot.classList.add("over-it");
  });
  slot.addEventListener("dragleave", () => slot.classList.remove("over-it"));
  slot.addEventListener("drop", (event) => {
    if (!dragged) return;
    event.preventDefault();
    const form = dragged.querySelector("form");
    form.elements.to.value = slot.dataset.slot;
    form.requestSubmit();
  });
}
