package history

import (
	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
)

// logger returns a logger that adds the controllers' logs to the story.
func (w *World) logger() logr.Logger {
	return funcr.New(func(prefix, args string) { w.say("      log: %s %s", prefix, args) }, funcr.Options{})
}
