// Package uninstall removes what Sickbay has written, with the permissions of the person who runs it. First it releases hosts that are
// kept off and puts Nodes back in service. Then it removes everything else, object by object.
//
// The package trace decides what on an object is Sickbay's. This one reads and writes: it reads an object, makes one write, and reads
// it again, until nothing is left on it. So it can be interrupted anywhere, and continues when it runs again.
package uninstall
