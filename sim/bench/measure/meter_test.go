package measure

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// TestMeter counts what goes through it, and lists what was watched, in the encoding of the watch.
func TestMeter(t *testing.T) {
	const list = `{"metadata":{},"items":[1]}`
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		switch {
		case r.Header.Get("Accept-Encoding") != "identity":
			http.Error(w, "compressed bytes tell nothing", http.StatusBadRequest)
		case query.Get("watch") == "true":
			_, _ = io.WriteString(w, "event")
		case query.Get("labelSelector") != "a=b" || r.Header.Get("Accept") != "application/json;as=PartialObjectMetadataList;v=v1":
			http.Error(w, fmt.Sprint(r.URL, r.Header), http.StatusBadRequest)
		default:
			_, _ = io.WriteString(w, list)
		}
	}))
	defer api.Close()
	m, err := startMeter(&rest.Config{Host: api.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = m.server.Close() }()

	const path = "/api/v1/things?watch=true&labelSelector=a%3Db"
	const accept = "application/json;as=PartialObjectMetadata;v=v1"
	for range 2 {
		get(t, m, path, accept)
	}
	requests, bytes, watched := m.read()
	if want := int64(2 * len("event")); requests != 2 || bytes != want {
		t.Errorf("it shows %d requests and %d bytes, want 2 and %d", requests, bytes, want)
	}
	if want := []watch{{path: "/api/v1/things", labelSelector: "a=b", accept: accept}}; !slices.Equal(watched, want) {
		t.Errorf("watched are %+v, want %+v", watched, want)
	}
	listed, err := m.list(t.Context(), watched)
	if err != nil || listed != int64(len(list)) {
		t.Errorf("listed %d bytes, %v, want %d", listed, err, len(list))
	}
	if again, _, _ := m.read(); again != 2 {
		t.Error("what the meter lists itself is counted")
	}
	if _, err := m.list(t.Context(), []watch{{path: "/api/v1/things", accept: "other"}}); err == nil {
		t.Error("a list that failed has bytes")
	}
}

// get sends a request through the meter, like a program with its kubeconfig.
func get(t *testing.T, m *meter, path, accept string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := m.writeKubeconfig(file); err != nil {
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
