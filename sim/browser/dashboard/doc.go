// Package dashboard tests the dashboard in a real Chromium: every page that links lead to, with fleets from none to 10,000
// machines, in both themes, on a small screen, by keyboard alone, without JavaScript, while the fleet changes and while the
// server is gone. It has tests only.
package dashboard
