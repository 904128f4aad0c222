// Runs before the page is painted, so that a theme that was chosen does not flash.
(() => {
  "use strict";
  try {
    const theme = localStorage.getItem("theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch { /* Without storage the system's theme is used. */ }
})();
