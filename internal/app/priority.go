package app

import (
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/internal/priority"
)

// The classes of requests to the management cluster. A storm begins with a thousand verdicts; without an order, the first repair would wait for
// most of them, and for their events.
const (
	// forActs are acts, reads just before them, and all else that those write who act, also the pauses for upgrades: whoever waits does not act.
	forActs = iota
	// forRecords are what the controller of MachineHealthChecks writes: it creates MachineRemediations and grants them slots.
	forRecords
	// forVerdicts are writes of verdicts.
	forVerdicts
	// forEvents are Events. Each has its own goroutine, so those that still wait when the process ends are lost.
	forEvents
)

// byPriority returns a wrapper of transports to the management cluster. Each controller handles that many objects at once, so verdicts alone never wait.
func byPriority(concurrency int) func(http.RoundTripper) http.RoundTripper {
	events := max(1, concurrency/4)
	classes := []priority.Class{
		forActs:     {Limit: math.MaxInt, Pace: time.Second},
		forRecords:  {Limit: 2 * concurrency, Pace: 25 * time.Millisecond},
		forVerdicts: {Limit: concurrency, Pace: 25 * time.Millisecond},
		forEvents:   {Limit: events, Pace: 100 * time.Millisecond, Most: events},
	}
	return priority.New(classes...).Wrap(classOf)
}

// classOf returns the class of a request to the management cluster. Watches, lists and leases have none.
func classOf(req *http.Request) (class int, ok bool) {
	what, writer := resourceOf(req.URL.Path), req.URL.Query().Get("fieldManager")
	switch {
	case len(what) == 0, what[0] == "leases":
		return 0, false
	case req.Method == http.MethodGet:
		return forActs, len(what) > 1
	case what[0] == "events":
		return forEvents, true
	case writer == machinehealth.FieldOwner:
		return forVerdicts, true
	case strings.HasPrefix(writer, machinehealthcheck.FieldOwner), req.Method == http.MethodPost && what[0] == "machineremediations":
		return forRecords, true
	}
	return forActs, true
}

// resourceOf returns what a path names in a namespace: the resource, the name of an object, and its subresource. Proxies in front of API servers
// may prepend a path, even one with another namespace.
func resourceOf(path string) []string {
	const in = "/namespaces/"
	at := strings.LastIndex(path, in)
	if at < 0 {
		return nil
	}
	return strings.Split(path[at+len(in):], "/")[1:]
}
