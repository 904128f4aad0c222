// Package uninstall takes back what Sickbay has written, with the rights of the person who asks for it: hosts that are kept off are let
// on first, Nodes are put back in service, and then everything else goes, object by object.
//
// What of an object is Sickbay's, the package trace decides. This one reads and writes: an object is read, one write is made, and it is
// read again, until nothing is found on it any more. So it can end at any line, and go on from there when it is run again.
package uninstall
