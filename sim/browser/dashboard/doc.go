// Package dashboard tries the dashboard in a real Chromium: every page that can be reached by links, with fleets from none to
// 10,000 machines, in both themes, on a small screen, by keyboard alone, without JavaScript, while the fleet changes and while
// nobody answers. It has tests only.
package dashboard
