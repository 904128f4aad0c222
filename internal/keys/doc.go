// Package keys lists Sickbay's annotations on Machines, MachineHealthChecks and Clusters, and who writes each. Lint and the admission policies use
// the list to find typos, and uninstall uses it to remove the annotations.
package keys
