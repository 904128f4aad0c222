// Package keys lists the annotations of Sickbay's own that may stand on objects of others, and who writes each: what lint and the
// admission policies take for a typo, and what uninstall takes back, go by the same list.
package keys
