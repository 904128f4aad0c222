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
	m, err := startMeter(&rest.Config{Host: api.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = m.stop() }()

	const path = "/api/v1/things?watch=true&labelSelector=a%3Db"
	const accept = "application/json;as=PartialObjectMetadata;v=v1"
	for range 2 {
		get(t, m, path, accept)
	}
	read, watched := m.read()
	if want := (reading{2, int64(2 * len("event"))}); read != want {
		t.Errorf("it shows %+v, want %+v", read, want)
	}
	if want := []watch{{path: "/api/v1/things", labelSelector: "a=b", accept: accept}}; !slices.Equal(watched, want) {
		t.Errorf("watched are %+v, want %+v", watched, want)
	}
	listed, err := m.list(t.Context(), watched)
	if want := (reading{2, int64(len(first) + len(second))}); err != nil || listed != want {
		t.Errorf("listed %+v, %v, want %+v", listed, err, want)
	}
	if again, _ := m.read(); again.requests != 2 {
		t.Error("what the meter lists itself is counted")
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
