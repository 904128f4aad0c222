package fault

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// transport is the client's side of a wire.
type transport struct {
	wire *Wire
	real http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if t.wire.Crashed() {
		return nil, ErrCrashed
	}
	if req.Method == http.MethodGet {
		return t.real.RoundTrip(req)
	}
	req = req.Clone(req.Context())
	target, err := targetOf(req)
	if err != nil {
		return nil, err
	}
	return t.write(req, target)
}

// write sends a write, unless the mishap happens at it.
func (t *transport) write(req *http.Request, target target) (*http.Response, error) {
	role := t.wire.Role(target.resource, target.name)
	if role == "" || !t.wire.reach(target.verb+" "+role) {
		return t.real.RoundTrip(req)
	}
	if t.wire.Mishap == CrashAfter {
		answer, err := t.real.RoundTrip(req)
		if err == nil {
			_, _ = io.Copy(io.Discard, answer.Body)
			_ = answer.Body.Close()
		}
	}
	t.wire.Kill()
	return nil, ErrCrashed
}

// target is the object of a request.
type target struct {
	// verb is the verb, with the subresource and the field owner.
	verb           string
	resource, name string
}

// targetOf parses a write. A create request has the name in its body.
func targetOf(req *http.Request) (target, error) {
	parts := strings.Split(strings.Trim(req.URL.Path, "/"), "/")
	// /api/v1/... and /apis/group/version/...
	version := 2
	if parts[0] == "api" {
		version = 1
	}
	parts = parts[min(len(parts), version+1):]
	if i := slices.Index(parts, "namespaces"); i == 0 && len(parts) > 2 {
		parts = parts[2:]
	}
	parts = append(parts, "", "", "")
	t := target{resource: parts[0], name: parts[1]}
	t.verb = strings.Join(slices.DeleteFunc([]string{verbOf(req), parts[2], by(req)}, func(s string) bool { return s == "" }), " ")
	if t.name != "" || req.Body == nil {
		return t, nil
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return t, fmt.Errorf("reading what is to be created: %w", err)
	}
	req.Body = io.NopCloser(bytes.NewReader(body))
	object := &metav1.PartialObjectMetadata{}
	if err := json.Unmarshal(body, object); err != nil {
		return t, fmt.Errorf("decoding what is to be created: %w", err)
	}
	t.name = object.Name
	return t, nil
}

func verbOf(req *http.Request) string {
	switch {
	case req.Method == http.MethodPost:
		return "create"
	case req.Method == http.MethodPut:
		return "update"
	case strings.HasPrefix(req.Header.Get("Content-Type"), strings.TrimSuffix(string(types.ApplyYAMLPatchType), "+yaml")):
		return "apply"
	}
	return strings.ToLower(req.Method)
}

func by(req *http.Request) string {
	manager := req.URL.Query().Get("fieldManager")
	if manager == "" || req.Method == http.MethodPost {
		return ""
	}
	return "by " + manager
}
