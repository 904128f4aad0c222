package fault

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
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
	req = req.Clone(req.Context())
	target, err := targetOf(req)
	if err != nil {
		return nil, err
	}
	switch {
	case req.Method != http.MethodGet:
		return t.write(req, target)
	case req.URL.Query().Get("watch") == "true":
		return t.watch(req, target)
	}
	return t.real.RoundTrip(req)
}

// watch opens a watch. Metadata clients prefer protobuf whatever their configuration says, so
// it asks for JSON.
func (t *transport) watch(req *http.Request, target target) (*http.Response, error) {
	accepted := strings.Split(req.Header.Get("Accept"), ",")
	req.Header.Set("Accept", strings.Join(slices.DeleteFunc(accepted, func(s string) bool { return !strings.Contains(s, "/json") }), ","))
	answer, err := t.real.RoundTrip(req)
	if err == nil && answer.StatusCode == http.StatusOK {
		answer.Body = t.wire.stream(target.resource, answer.Body)
	}
	return answer, err
}

// write sends a write, unless the mishap happens at it.
func (t *transport) write(req *http.Request, target target) (*http.Response, error) {
	role := t.wire.Role(target.resource, target.name)
	if role == "" || !t.wire.reach(target.verb+" "+role, target.resource, false) {
		return t.real.RoundTrip(req)
	}
	switch t.wire.Mishap {
	case CrashBefore:
		t.wire.Kill()
		return nil, ErrCrashed
	case CrashAfter, AnswerLost:
		answer, err := t.real.RoundTrip(req)
		if err == nil {
			_, _ = io.Copy(io.Discard, answer.Body)
			_ = answer.Body.Close()
		}
		if t.wire.Mishap == AnswerLost {
			return nil, errAnswerLost
		}
		t.wire.Kill()
		return nil, ErrCrashed
	case Conflict:
		return refusal(req, apierrors.NewConflict(schema.GroupResource{Resource: target.resource}, target.name, errMishap))
	case ServerError:
		return refusal(req, apierrors.NewInternalError(errMishap))
	default:
		// The others happen at watch events, or to the model of an API server alone.
	}
	return t.real.RoundTrip(req)
}

var errMishap = errors.New("a mishap")

// refusal returns the answer of an API server that rejects a request.
func refusal(req *http.Request, why *apierrors.StatusError) (*http.Response, error) {
	status := why.Status()
	status.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
	body, err := json.Marshal(status)
	if err != nil {
		return nil, fmt.Errorf("encoding a refusal: %w", err)
	}
	if req.Body != nil {
		_ = req.Body.Close()
	}
	return &http.Response{
		StatusCode: int(status.Code), Status: http.StatusText(int(status.Code)), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: req,
	}, nil
}

// target is the object of a request.
type target struct {
	// verb is the verb, with the subresource and the field owner.
	verb           string
	resource, name string
}

// targetOf parses a request. A create request has the name in its body.
func targetOf(req *http.Request) (target, error) {
	parts := strings.Split(strings.Trim(req.URL.Path, "/"), "/")
	// /api/v1/... and /apis/group/version/...
	parts = parts[min(len(parts), map[bool]int{true: 2, false: 3}[parts[0] == "api"]):]
	if i := slices.Index(parts, "namespaces"); i == 0 && len(parts) > 2 {
		parts = parts[2:]
	}
	parts = append(parts, "", "", "")
	t := target{resource: parts[0], name: parts[1]}
	if req.Method == http.MethodGet {
		return t, nil
	}
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
