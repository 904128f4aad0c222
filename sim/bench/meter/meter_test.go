package meter_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/sickbay-dev/sickbay/sim/bench/meter"
)

// TestMeter counts what goes through it, and lists what was watched, in the encoding of the watch.
func TestMeter(t *testing.T) {
	const first, second = `{"metadata":{"continue":"more"},"items":[1]}`, `{"metadata":{},"items":[2]}`
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		switch {
		case r.Header.Get("Accept-Encoding") != "identity":
			http.Error(w, "compressed bytes tell nothing", http.StatusBadRequest)
		case query.Get("watch") == "true":
			_, _ = io.WriteString(w, "event")
		case query.Get("limit") != "500" || query.Get("labelSelector") != "a=b" || r.Header.Get("Accept") != "application/json;as=PartialObjectMetadataList;v=v1":
			http.Error(w, fmt.Sprint(r.URL, r.Header), http.StatusBadRequest)
		case query.Get("continue") == "more":
			_, _ = io.WriteString(w, second)
		default:
			_, _ = io.WriteString(w, first)
		}
	}))
	defer api.Close()
	m, err := meter.Start(&rest.Config{Host: api.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = m.Stop() }()

	const watch = "/api/v1/things?watch=true&labelSelector=a%3Db"
	const accept = "application/json;as=PartialObjectMetadata;v=v1"
	for range 2 {
		get(t, m, watch, accept)
	}
	if diff := cmp.Diff(meter.Reading{Requests: 2, Bytes: int64(2 * len("event"))}, m.Read()); diff != "" {
		t.Errorf("reading (-want +got):\n%s", diff)
	}
	want := []meter.Watched{{Path: "/api/v1/things", LabelSelector: "a=b", Accept: accept}}
	if diff := cmp.Diff(want, m.Watched()); diff != "" {
		t.Errorf("watched (-want +got):\n%s", diff)
	}
	listed, err := m.List(t.Context(), m.Watched())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(meter.Reading{Requests: 2, Bytes: int64(len(first) + len(second))}, listed); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	if m.Read().Requests != 2 {
		t.Error("what the meter lists itself is counted")
	}
}

// get sends a request through the meter, like a program with its kubeconfig.
func get(t *testing.T, m *meter.Meter, path, accept string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := m.WriteKubeconfig(file); err != nil {
		t.Fatal(err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", file)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, config.Host+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", accept)
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	if body, err := io.ReadAll(answer.Body); err != nil || string(body) != "event" {
		t.Errorf("got %q, %v", body, err)
	}
}
