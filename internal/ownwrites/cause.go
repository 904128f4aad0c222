package ownwrites

import "regexp"

// localPort matches the local port of a connection, which differs each time.
var localPort = regexp.MustCompile(`:\d+->`)

// Cause returns the text of an error without parts that change each time, so that the same error is reported once and a stored
// message stays the same.
func Cause(err error) string { return localPort.ReplaceAllString(err.Error(), "->") }
