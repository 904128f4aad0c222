package cycle_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/sickbay-dev/sickbay/sim/mishap"
)

var errDead = errors.New("the process is dead")

// write is a request that changes something: what it changes, and its number among the writes to that.
type write struct {
	what string
	nth  int
}

func (w write) String() string { return fmt.Sprintf("%s (%d)", w.what, w.nth) }

// wire is between the controllers and the API server. It records all writes, and can cut the controllers off just before or just after
// a write, as if their process had ended.
type wire struct {
	harness *harness

	mu     sync.Mutex
	writes []write
	// at is the write at which the process ends; never if it is empty.
	at     write
	mishap mishap.Mishap
	// dead is true while the process has ended and no new one has started; crashed is true once it has ended.
	dead, crashed bool
}

type overWire struct {
	*wire
	base http.RoundTripper
}

func (w *wire) over(base http.RoundTripper) http.RoundTripper { return &overWire{wire: w, base: base} }

// RoundTrip implements http.RoundTripper.
func (o *overWire) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet {
		if o.isDead() {
			return nil, errDead
		}
		return o.base.RoundTrip(r)
	}
	o.check(r)
	dies, err := o.register(r)
	if err != nil {
		return nil, err
	}
	if dies && !o.mishap.CarriedOut() {
		return nil, errDead
	}
	response, err := o.base.RoundTrip(r)
	if dies && err == nil {
		_ = response.Body.Close()
		return nil, errDead
	}
	return response, err
}

func (w *wire) isDead() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.dead
}

// register records a write, and reports whether the process ends with it.
func (w *wire) register(r *http.Request) (dies bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.dead {
		return false, errDead
	}
	this := write{what: w.describe(r), nth: 1}
	for _, other := range w.writes {
		if other.what == this.what {
			this.nth++
		}
	}
	w.writes = append(w.writes, this)
	if this == w.at {
		w.dead, w.crashed, dies = true, true, true
	}
	return dies, nil
}

// madeOfUID matches the part of a name that differs each time.
var madeOfUID = regexp.MustCompile(`-[0-9a-f]{8}-asked`)

// describe names the object that is written, in the same way in each namespace.
func (w *wire) describe(r *http.Request) string {
	path := strings.ReplaceAll(r.URL.Path, w.harness.namespace, "ns")
	if _, after, found := strings.Cut(path, "/namespaces/ns/"); found {
		path = after
	}
	return r.Method + " " + madeOfUID.ReplaceAllString(path, "")
}

// revive lets a new process write without another crash.
func (w *wire) revive() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dead, w.at = false, write{}
}

func (w *wire) recorded() []write {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.writes)
}

// check fails the test if a write changes anything on a host but our key, our one-shot request, and the marks that exclude the host.
func (w *wire) check(r *http.Request) {
	if !strings.Contains(r.URL.Path, "/baremetalhosts/") {
		return
	}
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	var patch struct {
		Metadata struct {
			UID, ResourceVersion string
			Annotations          map[string]any
		}
		Spec, Status map[string]any
	}
	if err = errors.Join(err, json.Unmarshal(body, &patch)); err != nil || patch.Spec != nil || patch.Status != nil {
		w.harness.Errorf("%s of a host with %s, %v: only annotations may be patched", r.Method, body, err)
	}
	if patch.Metadata.UID == "" || patch.Metadata.ResourceVersion == "" {
		w.harness.Errorf("a host is written without regard to what it is: %s", body)
	}
	for key := range patch.Metadata.Annotations {
		if key != "reboot.metal3.io" && !strings.HasPrefix(key, "reboot.metal3.io/sickbay-") && !slices.Contains(unhealthyKeys, key) {
			w.harness.Errorf("annotation %s of a host is written", key)
		}
	}
}
