package cycle_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// wire is between the controllers and the API server. It records all writes.
type wire struct {
	harness *harness

	mu     sync.Mutex
	writes []string
}

type overWire struct {
	*wire
	base http.RoundTripper
}

func (w *wire) over(base http.RoundTripper) http.RoundTripper { return &overWire{wire: w, base: base} }

// RoundTrip implements http.RoundTripper.
func (o *overWire) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != http.MethodGet {
		o.check(r)
		o.mu.Lock()
		o.writes = append(o.writes, o.describe(r))
		o.mu.Unlock()
	}
	return o.base.RoundTrip(r)
}

// describe names the object that is written, in the same way in each namespace.
func (w *wire) describe(r *http.Request) string {
	path := strings.ReplaceAll(r.URL.Path, w.harness.namespace, "ns")
	if _, after, found := strings.Cut(path, "/namespaces/ns/"); found {
		path = after
	}
	return r.Method + " " + path
}

func (w *wire) recorded() []string {
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
