// Make passkeys in the settings, and log in with them. Browsers allow that on encrypted pages and on this machine.
"use strict";

const isNumeric = /^[\d.]+$|^\[/.test(location.hostname); // browsers make no passkeys for numeric addresses
const passkeysWork = "PublicKeyCredential" in window && window.isSecureContext && !isNumeric;

const maker = document.getElementById("passkey-form");
if (maker && passkeysWork) {
  document.getElementById("new-passkey").hidden = false;
  document.getElementById("no-passkeys").hidden = true;
  maker.addEventListener("submit", (event) => {
    event.preventDefault();
    finish(maker, "/settings/passkeys/options", (options) => {
      options.user.id = bytes(options.user.id);
      return navigator.credentials.create({ publicKey: options });
    });
  });
}

const byName = document.getElementById("by-name");
if (byName && location.hostname === "127.0.0.1") {
  byName.href = `http://localhost:${location.port}/settings#passkeys`;
  byName.hidden = false;
}

const opener = document.getElementById("passkey-login");
if (opener && passkeysWork) {
  opener.hidden = false;
  opener.addEventListener("submit", (event) => {
    event.preventDefault();
    finish(opener, "/login/passkey/options", (options) => navigator.credentials.get({ publicKey: options }));
  });
}

// Ask the bridge for options, let the browser answer them, and send the answer as a form.
async function finish(form, address, answer) {
  try {
    const headers = JSON.parse(document.body.getAttribute("hx-headers"));
    const given = await fetch(address, { method: "POST", headers });
    if (given.redirected) return location.assign(given.url); // asks who you are, once more
    if (!given.ok) throw new Error(await reason(given));
    const options = await given.json();
    options.challenge = bytes(options.challenge);
    for (const one of options.excludeCredentials || []) one.id = bytes(one.id);
    for (const one of options.allowCredentials || []) one.id = bytes(one.id);
    form.elements.credential.value = JSON.stringify(plain(await answer(options)));
    form.submit();
  } catch (error) {
    say(_("That did not work: {why}.", { why: meaning(error) }), "note bad trouble");
  }
}

async function reason(answer) {
  if (answer.status === 429) return _("too many tries; wait {count} seconds", { count: answer.headers.get("Retry-After") });
  const type = answer.headers.get("Content-Type") || "";
  return type.startsWith("application/json") ? (await answer.json()).error : _("load the page again");
}

// Say what to do next. Browsers name the trouble, and do not tell cancelling from waiting too long.
function meaning(error) {
  if (error.name === "NotAllowedError") return _("it was cancelled, or there is no passkey for this page. Try again");
  if (error.name === "InvalidStateError") return _("this device has a passkey for this page already. Log in with it");
  return error.message;
}

// Return a browser's answer with its bytes as base64url, which JSON can hold.
function plain(found) {
  const response = {};
  for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
    if (found.response[name]) response[name] = text(found.response[name]);
  }
  return { id: found.id, rawId: text(found.rawId), type: found.type, response };
}

function bytes(encoded) {
  const found = atob(encoded.replace(/-/g, "+").replace(/_/g, "/"));
  return Uint8Array.from(found, (letter) => letter.charCodeAt(0));
}

function text(buffer) {
  const letters = Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}
