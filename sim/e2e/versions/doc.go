// Package versions changes the version of Sickbay in the middle of repairs: from that of the last tag, built from the history of this
// repository, to the current one. Without a tag there is nothing to try. make test-upgrade runs it.
package versions
