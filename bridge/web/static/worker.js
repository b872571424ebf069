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

self.addEventListener("fetch", (event) => {
  const asked = new URL(event.request.url);
  if (event.request.mode === "navigate") {
    event.respondWith(fetch(event.request).catch(() => caches.match("/offline")));
  } else if (shell.includes(asked.pathname + asked.search)) {
    event.respondWith(caches.match(event.request).then((kept) => kept || fetch(event.request)));
  }
});
