// Package keys lists Sickbay's annotations on objects of other projects, and who writes each. Lint and the admission policies use
// the list to find typos, and uninstall uses it to remove the annotations.
package keys
