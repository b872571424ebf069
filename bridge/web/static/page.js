// Additions to htmx: announce changes and failures, reload pages that are too old, and upload files.
"use strict";

// Return a message in the language of the page, with the values of its placeholders.
const words = JSON.parse(document.body.dataset.words || "{}");
function _(message, values = {}) {
  return (words[message] || message).replace(/\{(\w+)\}/g, (_whole, name) => values[name]);
}

// Announce a text to screen readers. Failures are shown as well, because nothing else on the page reports them.
function say(text, look = "visually-hidden") {
  const line = document.getElementById("status");
  line.textContent = text;
  line.className = look;
}

document.addEventListener("htmx:load", (event) => {
  const fresh = event.detail.elt;
  if (fresh === document.body) return;
  const said = fresh.matches("[data-say]") ? fresh : fresh.querySelector("[data-say]");
  if (said) say(said.dataset.say);
  else if (document.querySelector("#status.trouble")) say("");
});

// Give the focus back that a swap took: to what has the same name and value in the new part, or to its first control.
let left = null;

document.addEventListener("htmx:beforeSwap", (event) => {
  const [part, held] = [event.detail.target, document.activeElement];
  left = part.contains(held) && held.matches("button, input, summary") ? { part: part.id, name: held.name, value: held.value } : null;
});

document.addEventListener("htmx:afterSettle", (event) => {
  const part = left && (document.getElementById(left.part) || event.detail.elt);
  if (!part || document.activeElement !== document.body) return;
  const all = [...part.querySelectorAll("button, summary, input:not([type=hidden])")].filter((one) => one.checkVisibility());
  const same = all.find((one) => left.name && one.name === left.name && one.value === left.value);
  left = null;
  (same || all[0])?.focus({ preventScroll: true });
});

// Go on by the keyboard at the entry that follows one whose owner was said, for the page is shown anew.
const menus = () => [...document.querySelectorAll("details:has(> .whose) > summary")];
const answered = sessionStorage.getItem("answered");
sessionStorage.removeItem("answered");

document.addEventListener("submit", (event) => {
  if (!event.target.matches(".whose") || !event.submitter?.matches(":focus-visible")) return;
  sessionStorage.setItem("answered", menus().indexOf(event.target.parentElement.querySelector("summary")));
});

function goOnAtEntry() {
  if (document.activeElement === document.body) (menus()[answered] || menus().at(-1) || document.querySelector("h1"))?.focus();
}

if (answered !== null) {
  const note = document.querySelector("#marked span");
  goOnAtEntry();
  if (note) say(note.textContent);
  document.addEventListener("htmx:afterSettle", goOnAtEntry);
  for (const kind of ["keydown", "pointerdown"]) {
    document.addEventListener(kind, () => document.removeEventListener("htmx:afterSettle", goOnAtEntry), { once: true });
  }
}

document.addEventListener("htmx:responseError", (event) => {
  say(_("That did not work: {why}.", { why: whyNot(event.detail.xhr) }), "note bad trouble");
  document.getElementById("status").append(...nextSteps(event.detail.xhr));
  if (event.detail.xhr.status === 403) location.reload();
});

// A form that is sent leaves the page: its fields ask for nothing more, as the answer may end the page's token.
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented) return;
  event.target.dataset.sent = "yes";
  for (const field of event.target.querySelectorAll("[hx-post]")) htmx.trigger(field, "htmx:abort");
});

document.addEventListener("htmx:beforeRequest", (event) => {
  const form = event.detail.elt.form;
  if (form && form.dataset.sent) event.preventDefault();
});

document.addEventListener("htmx:sendError", () => {
  say(_("That did not work: {why}.", { why: _("the bridge does not answer. Try again") }), "note bad trouble");
});

// Return the lines of a refusal: the reason, then the next steps. A proxy before the bridge sends pages instead.
function linesOf(request) {
  const type = request.getResponseHeader("Content-Type") || "";
  return type.startsWith("text/plain") ? request.responseText.split("\n") : [""];
}

function whyNot(request) {
  return linesOf(request)[0] || (request.status === 413 ? _("it is too large") : _("the bridge does not answer"));
}

// Return the next steps of a refusal as links, each after a blank.
function nextSteps(request) {
  const pairs = linesOf(request).slice(1).map((line) => line.split("\t"));
  return pairs.filter((pair) => pair.length === 2).flatMap(([address, title]) => {
    const link = document.createElement("a");
    link.href = address;
    link.textContent = title;
    return [" ", link];
  });
}

// Send files one after another as plain bodies, so that the server can write them to disk as they arrive.
const drop = document.getElementById("drop");

function upload(file) {
  const line = document.createElement("div");
  line.className = "note job";
  const name = document.createElement("p");
  name.textContent = _("{name}: sending", { name: file.name });
  const bar = document.createElement("progress");
  bar.max = 100;
  bar.setAttribute("aria-label", _("Sending {name}", { name: file.name }));
  line.append(name, bar);
  document.getElementById("uploads").append(line);

  return new Promise((done) => {
    const request = new XMLHttpRequest();
    request.open("POST", `${drop.dataset.to}?name=${encodeURIComponent(file.name)}`);
    request.setRequestHeader("X-CSRF-Token", JSON.parse(document.body.getAttribute("hx-headers"))["X-CSRF-Token"]);
    request.setRequestHeader("HX-Request", "true"); // ask for a part of a page, or for the address of the login
    request.upload.onprogress = (event) => {
      bar.value = (100 * event.loaded) / event.total;
    };
    request.onload = () => {
      const elsewhere = request.getResponseHeader("HX-Redirect");
      if (elsewhere) {
        location.href = elsewhere;
      } else if (request.status === 200) {
        const told = JSON.parse(request.getResponseHeader("HX-Trigger") || "{}");
        if (told.arrived) arrived.push(told.arrived.job);
        line.outerHTML = request.responseText;
        htmx.process(document.getElementById("uploads"));
      } else {
        line.className = "note bad";
        line.textContent = _("{name} was not accepted: {why}.", { name: file.name, why: whyNot(request) });
        line.append(...nextSteps(request));
      }
      done();
    };
    request.onerror = () => {
      line.className = "note bad";
      line.textContent = _("{name}: the connection broke off. Send it again.", { name: file.name });
      done();
    };
    request.send(file);
  });
}

let sending = 0; // files that are not sent yet

async function uploadAll(files) {
  sending += files.length;
  for (const file of files) {
    await upload(file);
    sending -= 1;
  }
  goOn();
}

if (drop) {
  const input = document.getElementById("file");
  input.addEventListener("change", () => {
    uploadAll([...input.files]);
    input.value = "";
  });
  for (const kind of ["dragover", "dragleave", "drop"]) {
    drop.addEventListener(kind, (event) => {
      event.preventDefault();
      drop.classList.toggle("over", kind === "dragover");
      if (kind === "drop") uploadAll([...event.dataTransfer.files]);
    });
  }
}

// Show only the items that hold what is searched for. Without scripts there is no field, and all are shown.
for (const field of document.querySelectorAll("input[data-filters]")) {
  field.parentElement.hidden = false;
  field.addEventListener("input", () => {
    const wanted = field.value.trim().toLowerCase();
    for (const one of document.querySelectorAll(field.dataset.filters)) one.hidden = !one.textContent.toLowerCase().includes(wanted);
  });
}

// Offer the browser's time zone first, and choose it for a person who begins. Typing replaces what is there.
for (const field of document.querySelectorAll("input[data-zone]")) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const here = [...field.list.options].find((option) => option.value === zone);
  if (here) field.list.prepend(here);
  if (here && field.dataset.zone === "browser") field.value = zone;
  field.addEventListener("focus", () => field.select());
}

// Go on to the first plan, which tells what came, when all that was sent is read and some of it is new.
const arrived = [];

function goOn() {
  const place = document.querySelector("[data-then]");
  if (!place || !arrived.length || sending || document.querySelector("#uploads .job[hx-get]")) return;
  location.href = `${place.dataset.then}?came=${encodeURIComponent(arrived.join(","))}`;
}

document.addEventListener("arrived", (event) => arrived.push(event.detail.job));
document.addEventListener("htmx:afterSettle", goOn);

// Copy what a vendor asks for. Browsers allow that on encrypted pages and on this machine; elsewhere it is selected.
document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-copy]");
  if (!button) return;
  const field = document.getElementById(button.dataset.copy);
  field.select();
  if (navigator.clipboard) navigator.clipboard.writeText(field.value).then(() => say(_("Copied.")));
});

// Let the page be installed, where the browser allows it: on encrypted pages and on this machine.
if ("serviceWorker" in navigator) addEventListener("load", () => navigator.serviceWorker.register("/sw.js"));
