// Keeps a page up to date, counts down, and switches themes. Everything else works without it.
(() => {
  "use strict";
  const root = document.documentElement;
  const main = document.getElementById("main");
  const live = document.getElementById("live");
  const said = document.getElementById("connection");
  // The server's clock counts; this is how far ours is behind it.
  let skew = Date.parse(root.dataset.now) - Date.now();
  let at = Date.parse(root.dataset.at);
  let version = root.dataset.version;
  let shown = Date.now();
  let lastMessage = Date.now();
  let state = "";
  let error = root.dataset.problem || "";
  let busy = false;

  const now = () => Date.now() + skew;
  const put = (node, text) => { if (node && node.textContent !== text) node.textContent = text; };

  const span = (ms) => {
    const s = Math.max(0, Math.round(ms / 1000));
    const two = (n) => String(n).padStart(2, "0");
    if (s >= 172800) return `${Math.floor(s / 86400)}d ${Math.floor(s % 86400 / 3600)}h`;
    if (s >= 3600) return `${Math.floor(s / 3600)}h ${two(Math.floor(s % 3600 / 60))}m`;
    if (s >= 60) return `${Math.floor(s / 60)}m ${two(s % 60)}s`;
    return `${s}s`;
  };

  const tick = () => {
    for (const node of document.querySelectorAll("[data-until]")) {
      const left = Date.parse(node.dataset.until) - now();
      put(node, left <= 500 ? "now" : `in ${span(left)}`);
    }
    if (Number.isNaN(at)) return;
    const age = now() - at;
    const silent = Date.now() - lastMessage > 8000;
    const next = silent || state === "lost" ? "lost" : error || age > 20000 ? "stale" : "live";
    if (next !== live.dataset.state) {
      live.dataset.state = next;
      put(said, { lost: "The live connection is lost. This data is old.", stale: "The fleet cannot be read. This data is old.", live: "Live" }[next]);
    }
    put(document.getElementById("live-age"), next === "live" ? `Live, data ${span(age)} old` :
      next === "stale" ? `Cannot be read, data ${span(age)} old` : `Connection lost, data ${span(age)} old`);
  };

  // morph makes one tree like another and leaves alone what is the same, so that focus, selections and what was typed stay.
  const morph = (from, to) => {
    if (from.nodeType !== to.nodeType || from.nodeName !== to.nodeName) { from.replaceWith(to.cloneNode(true)); return; }
    if (from.nodeType !== Node.ELEMENT_NODE) { if (from.data !== to.data) from.data = to.data; return; }
    if (from.hasAttribute("data-keep") && to.hasAttribute("data-keep")) return;
    for (const { name } of [...from.attributes]) if (!to.hasAttribute(name) && name !== "open") from.removeAttribute(name);
    for (const { name, value } of to.attributes) if (from.getAttribute(name) !== value && name !== "open") from.setAttribute(name, value);
    const old = [...from.childNodes], fresh = [...to.childNodes];
    fresh.forEach((node, i) => { if (old[i]) morph(old[i], node); else from.append(node.cloneNode(true)); });
    old.slice(fresh.length).forEach((node) => node.remove());
  };

  const refresh = async () => {
    if (busy || document.hidden || document.querySelector("[data-still]")) return;
    busy = true;
    try {
      const response = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store" });
      if (!response.ok) return;
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const next = page.getElementById("main");
      if (!next) return;
      morph(main, next);
      const foot = page.getElementById("foot");
      if (foot) morph(document.getElementById("foot"), foot);
      document.title = page.title;
      version = page.documentElement.dataset.version;
      shown = Date.now();
      enhance();
      tick();
    } catch { /* The next event tries again. */ } finally { busy = false; }
  };

  const enhance = () => {
    for (const button of document.querySelectorAll("button[data-copy][hidden]")) {
      if (navigator.clipboard) button.hidden = false;
    }
  };

  document.addEventListener("click", async (event) => {
    const button = event.target.closest?.("button[data-copy]");
    if (!button) return;
    try {
      await navigator.clipboard.writeText(button.previousElementSibling.textContent);
      put(button, "Copied");
    } catch { put(button, "Not copied"); }
    setTimeout(() => put(button, "Copy"), 2000);
  });

  // refused asks a person to sign in again who may not see the page any more.
  const refused = async () => {
    if (document.querySelector("[data-still]")) return;
    try {
      const { status } = await fetch(location.href, { method: "HEAD", cache: "no-store" });
      if (status === 401 || status === 403) location.reload();
    } catch { /* The connection is lost. */ }
  };

  const watch = () => {
    const source = new EventSource("/events");
    source.addEventListener("look", (event) => {
      const message = JSON.parse(event.data);
      lastMessage = Date.now();
      skew = Date.parse(message.now) - lastMessage;
      state = "";
      error = message.error || "";
      if (message.at) at = Date.parse(message.at);
      // Words like "for 3m" change while nothing else does.
      if (message.version && (message.version !== version || lastMessage - shown > 20000 || root.dataset.version === "")) refresh();
      tick();
    });
    source.addEventListener("error", () => {
      state = "lost";
      tick();
      // A browser gives up on some errors.
      if (source.readyState !== EventSource.CLOSED) return;
      refused();
      setTimeout(watch, 3000);
    });
  };

  const theme = document.getElementById("theme");
  const dark = () => root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const name = () => put(theme, dark() ? "Light" : "Dark");
  theme.hidden = false;
  name();
  theme.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    try { localStorage.setItem("theme", root.dataset.theme); } catch { /* It is not kept. */ }
    name();
  });

  document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });
  enhance();
  tick();
  setInterval(tick, 500);
  watch();
})();
