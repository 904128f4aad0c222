// Package browser drives a real Chromium, for tests of pages: it opens them, reads them, presses keys, and looks for what no page
// may do. A page that logs an error, breaks its content security policy or asks anyone but its own server fails the test that
// opened it, unless the test has said that it expects that.
//
// Nothing waits for a time: what a page is to become is awaited in the page itself.
package browser
