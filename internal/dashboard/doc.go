// Package dashboard is the web page.
package dashboard
