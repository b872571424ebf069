// Keeps the shell of the page and says when the bridge does not answer. Pages of a person are never kept.
"use strict";

const shell = "SHELL";
const name = "NAME";

self.addEventListener("install", (event) => {
  event.waitUntil(caches.open(name).then((cache) => cache.addAll(shell)).then(() => self.skipWaiting()));
});

self.addEventListener("activate", (event) => {
  const old = caches.keys().then((names) => Promise.all(names.filter((one) => one !== name).map((one) => caches.delete(one))));
  event.waitUntil(old.then(() => self.clients.claim()));
});

// Show a message, with its answers as buttons. What it says was encrypted for this browser.
self.addEventListener("push", (event) => {
  const told = event.data ? event.data.json() : {};
  const shown = {
    body: told.text,
    tag: told.tag,
    icon: shell.find((one) => one.includes("icon")),
    data: told,
    actions: Object.keys(told.answers || {}).map((word) => ({ action: word, title: word })),
  };
  event.waitUntil(self.registration.showNotification(told.title || "rhythm-bridge", shown));
});

// Give the answer of the button that was pressed. Later needs a choice, so it leads to the page with good times.
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const told = event.notification.data || {};
  const link = (told.answers || {})[event.action];
  const work = link && event.action !== (told.choice || "Later") ? answer(link) : self.clients.openWindow(link || told.page || "/");
  event.waitUntil(work);
});

// Press the button of the link's own page, which holds the token that every form needs.
async function answer(link) {
  const page = await (await fetch(link)).text();
  const token = page.match(/name="csrf" value="([0-9a-f]+)"/);
  const done = token && (await fetch(link, { method: "POST", body: new URLSearchParams({ csrf: token[1] }) }));
  if (!done || !done.ok) await self.clients.openWindow(link);
}

self.addEventListener("fetch", (event) => {
  const asked = new URL(event.request.url);
  if (event.request.mode === "navigate") {
    event.respondWith(fetch(event.request).catch(() => caches.match("/offline")));
  } else if (shell.includes(asked.pathname + asked.search)) {
    event.respondWith(caches.match(event.request).then((kept) => kept || fetch(event.request)));
  }
});
