package workload

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func answers(err error) *connection {
	return &connection{get: func(_ context.Context, node *corev1.Node) error {
		node.Name = "n"
		return err
	}}
}

// hangs returns a connection that blocks for as long as it may, and then returns this error, as a cache or a
// client does.
func hangs(err error) *connection {
	return &connection{get: func(ctx context.Context, _ *corev1.Node) error {
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Second): // the timeout of the client itself
		}
		return err
	}}
}

// TestAnswers: a missing Node differs from a cluster that did not answer.
func TestAnswers(t *testing.T) {
	nodes := corev1.Resource("nodes")
	tests := map[string]struct {
		connection *connection
		notFound   bool
		cause      string
	}{
		"found":                                 {answers(nil), false, ""},
		"not found":                             {answers(apierrors.NewNotFound(nodes, "n")), true, ""},
		"forbidden":                             {answers(apierrors.NewForbidden(nodes, "n", errors.New("no"))), false, "the workload cluster refused the request (Forbidden)"},
		"unauthorized":                          {answers(apierrors.NewUnauthorized("who are you")), false, "the workload cluster refused the request (Unauthorized)"},
		"connection refused":                    {answers(errors.New("dial tcp 10.0.0.1:54321: connection refused")), false, causeNoAnswer},
		"a deadline":                            {hangs(context.DeadlineExceeded), false, causeNoAnswer},
		"a deadline, as client-go tells it":     {hangs(fmt.Errorf("Get \"https://10.0.0.1\": %w", context.DeadlineExceeded)), false, causeNoAnswer},
		"a cache that waits for its first sync": {hangs(apierrors.NewTimeoutError("failed waiting for *v1.Node Informer to sync", 0)), false, causeNoAnswer},
	}
	for name, tt := range tests {
		for how, get := range map[string]func(*Clusters, context.Context) (*corev1.Node, error){
			"cached": func(c *Clusters, ctx context.Context) (*corev1.Node, error) { return c.Get(ctx, key, "n") },
			"listed": func(c *Clusters, ctx context.Context) (*corev1.Node, error) {
				return ForMany(ctx, c, key, listFrom).Get(ctx, key, "n")
			},
			"live": func(c *Clusters, ctx context.Context) (*corev1.Node, error) { return c.GetLive(ctx, key, "n") },
		} {
			t.Run(name+", "+how, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					clusters, _ := over(tt.connection, nil)
					node, err := get(clusters, t.Context())
					cause, _ := Unreadable(err)
					if apierrors.IsNotFound(err) != tt.notFound || cause != tt.cause {
						t.Errorf("error is %v, want not found: %t, cause %q", err, tt.notFound, tt.cause)
					}
					if (node == nil) != (err != nil) {
						t.Errorf("got Node %v and error %v", node, err)
					}
				})
			})
		}
	}
}

// TestForMany: many Nodes of a cluster cost one read. Few Nodes, and Nodes of another cluster, cost one read
// each.
func TestForMany(t *testing.T) {
	for many, want := range map[int]int{listFrom - 1: 3, listFrom: 2} {
		c := answers(nil)
		clusters, _ := over(c, nil)
		nodes := ForMany(t.Context(), clusters, key, many)
		for _, cluster := range []client.ObjectKey{key, key, {Namespace: "ns", Name: "other"}} {
			if _, err := nodes.Get(t.Context(), cluster, "n"); err != nil {
				t.Error(err)
			}
		}
		if c.reads != want {
			t.Errorf("three reads for a look at %d Nodes were %d, want %d", many, c.reads, want)
		}
	}
}

// TestHangingClusterHoldsNobodyUp: after a read that hung, reads fail at once for a while.
func TestHangingClusterHoldsNobodyUp(t *testing.T) {
	for name, err := range map[string]error{
		"a deadline":                            context.DeadlineExceeded,
		"a cache that waits for its first sync": apierrors.NewTimeoutError("failed waiting for *v1.Node Informer to sync", 0),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cut := hangs(err)
				clusters, clock := over(cut, nil)
				first := time.Now()
				for range 100 {
					if _, err := clusters.Get(t.Context(), key, "n"); err == nil || err.Error() != causeNoAnswer {
						t.Fatalf("error is %v, want %q", err, causeNoAnswer)
					}
				}
				if took := time.Since(first); took != syncTimeout || cut.reads != 1 {
					t.Errorf("100 reads took %s and tried %d times, want %s and once", took, cut.reads, syncTimeout)
				}
				clock.SetTime(now.Add(3 * hangBackoff / 2))
				cut.get = answers(nil).get
				if _, err := clusters.Get(t.Context(), key, "n"); err != nil {
					t.Errorf("after a while: %v, want that it is tried again", err)
				}
			})
		})
	}
}

// TestLiveReadsHangOnTheirOwn: if live reads hang, the cache can still be read.
func TestLiveReadsHangOnTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cut := hangs(context.DeadlineExceeded)
		clusters, _ := over(cut, nil)
		for range 100 {
			if _, err := clusters.GetLive(t.Context(), key, "n"); err == nil {
				t.Fatal("reading a cluster that hangs succeeded")
			}
		}
		if cut.reads != 1 {
			t.Errorf("100 reads tried %d times, want once", cut.reads)
		}
		cut.get = answers(nil).get
		if _, err := clusters.Get(t.Context(), key, "n"); err != nil {
			t.Errorf("reading from the cache: %v", err)
		}
	})
}

// TestForget: a new cluster of the same name is read at once.
func TestForget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cut := hangs(context.DeadlineExceeded)
		clusters, _ := over(cut, nil)
		if _, err := clusters.Get(t.Context(), key, "n"); err == nil {
			t.Fatal("reading a cluster that hangs succeeded")
		}
		clusters.Forget(key)
		cut.get = answers(nil).get
		if _, err := clusters.Get(t.Context(), key, "n"); err != nil {
			t.Errorf("reading the new cluster: %v", err)
		}
	})
}
