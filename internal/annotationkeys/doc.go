// Package annotationkeys lists Sickbay's annotations on Machines, MachineHealthChecks and Clusters, and who writes each. Lint and the admission policies use
// the list to find typos, and uninstall uses it to tell people's annotations from Sickbay's.
package annotationkeys
