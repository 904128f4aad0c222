package workload

import (
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sickbay-dev/sickbay/internal/metrics"
)

func TestLastSeen(t *testing.T) {
	for name, tt := range map[string]struct{ probed, want time.Time }{
		"it answered":     {now, now},
		"it never did so": {time.Time{}, started},
	} {
		t.Run(name, func(t *testing.T) {
			clusters, _ := over(&connection{probed: tt.probed}, nil)
			if got := clusters.LastSeen(t.Context(), key); !got.Equal(tt.want) {
				t.Errorf("last seen at %v, want %v", got, tt.want)
			}
		})
	}
}

// TestNodesCannotBeReadAlthoughTheClusterAnswers: a probe does not read Nodes. If probes alone counted, the grace period
// of a Machine would never end.
func TestNodesCannotBeReadAlthoughTheClusterAnswers(t *testing.T) {
	refusing := answers(apierrors.NewForbidden(corev1.Resource("nodes"), "n", errors.New("no")))
	clusters, clock := over(refusing, nil)
	look := func(after time.Duration) time.Time {
		clock.SetTime(now.Add(after))
		refusing.probed = clock.Now()
		_, _ = clusters.Get(t.Context(), key, "n")
		return clusters.LastSeen(t.Context(), key)
	}
	for _, after := range []time.Duration{0, time.Minute, time.Hour} {
		if got := look(after); !got.Equal(now) {
			t.Errorf("after %s: last seen at %v, want since when it refuses, %v", after, got, now)
		}
	}
	refusing.get = answers(nil).get
	if got := look(2 * time.Hour); !got.Equal(now.Add(2 * time.Hour)) {
		t.Errorf("it answers again: last seen at %v, want now", got)
	}
	refusing.get = answers(errors.New("cut")).get
	if got := look(3 * time.Hour); !got.Equal(now.Add(3 * time.Hour)) {
		t.Errorf("it refuses again: last seen at %v, want now", got)
	}
}

// TestOneNodeCannotBeRead: the cache misses a Node, and it cannot be read live. Other Nodes, which are read from the cache, must not
// begin the grace period of its Machine again each time.
func TestOneNodeCannotBeRead(t *testing.T) {
	refused, gone := apierrors.NewForbidden(corev1.Resource("nodes"), "n", errors.New("no")), apierrors.NewNotFound(corev1.Resource("nodes"), "n")
	connection := &connection{live: answers(refused).get}
	clusters, clock := over(connection, nil)
	for minute := range 10 {
		clock.SetTime(now.Add(time.Duration(minute) * time.Minute))
		connection.probed, connection.get = clock.Now(), answers(gone).get
		_, _ = clusters.Get(t.Context(), key, "n")
		_, _ = clusters.GetLive(t.Context(), key, "n")
		if got := clusters.LastSeen(t.Context(), key); !got.Equal(now) {
			t.Errorf("minute %d: last seen at %v, want since when it refuses, %v", minute, got, now)
		}
		connection.get = answers(nil).get
		_, _ = clusters.Get(t.Context(), key, "other")
	}
	connection.get = answers(errors.New("cut")).get
	_, _ = clusters.Get(t.Context(), key, "other")
	if got := clusters.LastSeen(t.Context(), key); !got.Equal(clock.Now()) {
		t.Errorf("it cannot be read at all: last seen at %v, want now", got)
	}
}

// TestOneFailureLongAgo: one live read failed days ago, and nobody repeated it. If the Node of a healthy machine is missing from the cache now, and
// cannot be read live, the machine has its whole grace period.
func TestOneFailureLongAgo(t *testing.T) {
	refused, gone := apierrors.NewForbidden(corev1.Resource("nodes"), "n", errors.New("no")), apierrors.NewNotFound(corev1.Resource("nodes"), "n")
	connection := &connection{get: answers(nil).get, live: answers(refused).get}
	clusters, clock := over(connection, nil)
	_, _ = clusters.GetLive(t.Context(), key, "n")
	clock.SetTime(now.Add(72 * time.Hour))
	connection.probed = clock.Now()
	_, _ = clusters.Get(t.Context(), key, "n")
	if got := clusters.LastSeen(t.Context(), key); !got.Equal(clock.Now()) {
		t.Errorf("all can be read: last seen at %v, want now", got)
	}
	connection.get = answers(gone).get
	for minute := range 30 {
		clock.SetTime(now.Add(72*time.Hour + time.Duration(minute)*time.Minute))
		connection.probed = clock.Now()
		_, _ = clusters.Get(t.Context(), key, "n")
		_, _ = clusters.GetLive(t.Context(), key, "n")
		if got, want := clusters.LastSeen(t.Context(), key), now.Add(72*time.Hour); !got.Equal(want) {
			t.Errorf("minute %d: last seen at %v, want since when it refuses again, %v", minute, got, want)
		}
	}
}

// TestStandbyForgets: what a standby could not read for its dashboard, perhaps days before it leads, takes no grace period from machines.
func TestStandbyForgets(t *testing.T) {
	connection := answers(errors.New("cut"))
	clusters, clock := over(connection, nil)
	_, _ = clusters.Get(t.Context(), key, "n")
	clock.SetTime(now.Add(72 * time.Hour))
	connection.probed = clock.Now()
	if err := clusters.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, _ = clusters.Get(t.Context(), key, "n")
	if got := clusters.LastSeen(t.Context(), key); !got.Equal(clock.Now()) {
		t.Errorf("last seen at %v, want %v", got, clock.Now())
	}
}

// TestUnreadableSince: the metrics show a cluster while its Nodes cannot be read, and since when, but not after it is
// gone.
func TestUnreadableSince(t *testing.T) {
	connection := answers(errors.New("cut"))
	clusters, clock := over(connection, nil)
	since := func(after time.Duration) float64 {
		clock.SetTime(now.Add(after))
		_, _ = clusters.Get(t.Context(), key, "n")
		var s metrics.Samples
		clusters.Metrics(t.Context(), &s)
		at, _ := s.Get(unreadableSince, key.Namespace, key.Name)
		return at
	}
	for _, after := range []time.Duration{0, time.Minute, time.Hour} {
		if got := since(after); got != float64(now.Unix()) {
			t.Errorf("after %s: unreadable since %v", after, got)
		}
	}
	connection.get = answers(nil).get
	if got := since(2 * time.Hour); got != 0 {
		t.Errorf("it answers again, and is unreadable since %v", got)
	}
	connection.get = answers(errors.New("cut")).get
	since(3 * time.Hour)
	clusters.Forget(key)
	var s metrics.Samples
	if clusters.Metrics(t.Context(), &s); s.String() != "" {
		t.Errorf("of a cluster that is gone there is\n%s", s.String())
	}
}

// TestClustersThatAreGone: the metrics show nothing about a Cluster that is gone, however that became known, and even if
// somebody reads it again.
func TestClustersThatAreGone(t *testing.T) {
	clusters, _ := over(answers(errors.New("cut")), nil)
	scheme := runtime.NewScheme()
	if err := clusterv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	cluster := &clusterv1.Cluster{ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name}}
	management := fake.NewClientBuilder().WithScheme(scheme).WithObjects(cluster).Build()
	clusters.Management = management
	shown := func() string {
		var s metrics.Samples
		clusters.Metrics(t.Context(), &s)
		return s.String()
	}
	_, _ = clusters.Get(t.Context(), key, "n")
	if got := shown(); strings.Count(got, "\n") != 2 {
		t.Errorf("of a cluster that cannot be read there is\n%s", got)
	}
	if err := management.Delete(t.Context(), cluster); err != nil {
		t.Fatal(err)
	}
	clusters.Forget(key)
	_, _ = clusters.Get(t.Context(), key, "n")
	if got := shown(); got != "" {
		t.Errorf("of a cluster that is gone there is\n%s", got)
	}
}
