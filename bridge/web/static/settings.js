// Let messages come to this browser. Browsers allow that on encrypted pages and on this machine.
"use strict";

const device = document.getElementById("this-device");
if (device && "PushManager" in window && "serviceWorker" in navigator) device.hidden = false;

device.addEventListener("submit", (event) => {
  event.preventDefault();
  subscribe().catch((error) => say(_("That did not work: {why}.", { why: error.message }), "note bad trouble"));
});

async function subscribe() {
  if ((await Notification.requestPermission()) !== "granted") throw new Error(_("this browser may not show messages. Allow it for this page"));
  const token = JSON.parse(document.body.getAttribute("hx-headers"));
  const key = await fetch("/settings/devices/key", { method: "POST", headers: token });
  if (!key.ok) throw new Error(_("the bridge does not answer"));
  const worker = await navigator.serviceWorker.ready;
  const given = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: await key.text() });
  const { endpoint, keys } = given.toJSON();
  Object.entries({ endpoint, p256dh: keys.p256dh, auth: keys.auth, name: browserName() }).forEach(([name, value]) => {
    device.elements[name].value = value;
  });
  device.submit();
}

// Name the browser for the list, so that its owner can tell it from others.
function browserName() {
  const hints = navigator.userAgentData;
  const brand = hints && hints.brands.map((one) => one.brand).find((one) => !/not.*brand/i.test(one));
  const browser = brand || (/Firefox|Safari/.exec(navigator.userAgent) || ["A browser"])[0];
  return `${browser}, ${(hints && hints.platform) || navigator.platform || "some system"}`.slice(0, 60);
}
