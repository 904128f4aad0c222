package history

import (
	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
)

// logger has the controllers' logs told with all that happens.
func (w *World) logger() logr.Logger {
	return funcr.New(func(prefix, args string) { w.say("      log: %s %s", prefix, args) }, funcr.Options{})
}
