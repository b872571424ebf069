// Drag a suggestion or a task of the week to a coming slot. The form that is used without a mouse does the move.
"use strict";

let dragged = null;

const slotOf = (event) => dragged && event.target.closest("[data-slot]");

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

document.addEventListener("dragover", (event) => {
  const slot = slotOf(event);
  for (const one of document.querySelectorAll(".over-it")) one.classList.toggle("over-it", one === slot);
  if (!slot) return;
  event.preventDefault();
  slot.classList.add("over-it");
});

document.addEventListener("drop", (event) => {
  const slot = slotOf(event);
  if (!slot) return;
  event.preventDefault();
  const form = dragged.querySelector("form");
  const to = form.elements.to;
  for (const one of to.options) if (one.value === slot.dataset.slot) one.disabled = false; // the server says why not
  to.value = slot.dataset.slot;
  form.requestSubmit();
});
