// Package browser drives a real Chromium for tests of pages: it opens them, reads them, presses keys, and detects what no page
// may do. If a page logs an error or a warning, throws an exception, breaks its content security policy or sends a request to another server, the test that opened
// it fails, unless the test has said that it expects that.
//
// Nothing waits for a fixed time. Tests wait for conditions in the page itself.
package browser
