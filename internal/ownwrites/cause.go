package ownwrites

import "regexp"

// localPort is another one each time a connection is made.
var localPort = regexp.MustCompile(`:\d+->`)

// Cause is what an error says, in the same words each time it happens: people are told once, and a message that is stored stays.
func Cause(err error) string { return localPort.ReplaceAllString(err.Error(), "->") }
