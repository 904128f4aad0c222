package env

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2/textlogger"
	ctrl "sigs.k8s.io/controller-runtime"
)

// shared is the API server of this test binary.
var shared lazy

// lazy starts the API server at most once and remembers the result.
type lazy struct {
	once sync.Once
	opts *options
	env  *Env
	err  error
}

// Main runs the tests of a package, stops the API server if one of them started it, and exits.
// TestMain is its only caller.
func Main(m *testing.M, opts ...Option) {
	os.Exit(run(m, opts))
}

func run(m *testing.M, opts []Option) int {
	ctrl.SetLogger(logger())
	shared.opts = newOptions(opts)
	code := m.Run()
	if err := shared.stop(); err != nil {
		fmt.Fprintf(os.Stderr, "stopping the API server for tests: %v\n", err)
		return 1
	}
	return code
}

// logger keeps controllers quiet unless SICKBAY_TEST_LOG is set: otherwise their logs hide the test's output.
func logger() logr.Logger {
	if os.Getenv("SICKBAY_TEST_LOG") == "" {
		return logr.Discard()
	}
	return textlogger.NewLogger(textlogger.NewConfig())
}

func (l *lazy) get() (*Env, error) {
	l.once.Do(func() {
		if l.opts == nil {
			l.err = errors.New("the package has no TestMain that calls env.Main")
			return
		}
		l.env, l.err = start(l.opts)
	})
	return l.env, l.err
}

func (l *lazy) stop() error {
	if l.env == nil {
		return nil
	}
	return l.env.stop()
}
