package bench

import (
	"context"
	"errors"
	"fmt"
	"testing"

	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

// world is the content of the API server: shoots, each a namespace with a Worker and the
// objects that its checks read.
type world struct {
	*env.Env

	// shoots are the names of namespaces and Workers.
	shoots []string
}

// grow adds healthy shoots up to the given number.
func (w *world) grow(b *testing.B, shoots int) {
	b.Helper()
	had := len(w.shoots)
	for i := had; i < shoots; i++ {
		w.shoots = append(w.shoots, fmt.Sprintf("shoot--bench--%05d", i))
	}
	added := w.shoots[had:]
	tell("Making %d objects", len(added))
	must(b, eachOf(b.Context(), added, w.create))
	tell("%d objects are there, with what the checks look at", shoots)
}

// reset makes all shoots healthy and removes all conditions.
func (w *world) reset(b *testing.B) {
	b.Helper()
	must(b, eachOf(b.Context(), w.shoots, func(ctx context.Context, shoot string) error {
		if err := w.change(ctx, shoot, true); err != nil {
			return err
		}
		worker := &extensionsv1alpha1.Worker{ObjectMeta: metav1.ObjectMeta{Namespace: shoot, Name: shoot}}
		return w.Client.Status().Patch(ctx, worker, client.RawPatch(types.MergePatchType, []byte(`{"status":{"conditions":null}}`)))
	}))
}

// change makes the Deployment of a shoot available or not.
func (w *world) change(ctx context.Context, shoot string, available bool) error {
	status := "False"
	if available {
		status = "True"
	}
	patch := fmt.Sprintf(`{"status":{"conditions":[{"type":"Available","status":%q,"reason":"Changed","message":"as the benchmark wants it"}]}}`, status)
	obj := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: shoot, Name: deployment}}
	return w.Client.Status().Patch(ctx, obj, client.RawPatch(types.MergePatchType, []byte(patch)))
}

// some picks different shoots, spread evenly.
func (w *world) some(count int) []string {
	count = min(count, len(w.shoots))
	picked := make([]string, count)
	for i := range picked {
		picked[i] = w.shoots[i*len(w.shoots)/count]
	}
	return picked
}

// hands is how many requests the benchmark sends at once.
const hands = 16

// eachOf calls do for all shoots, several at once.
func eachOf(ctx context.Context, shoots []string, do func(ctx context.Context, shoot string) error) error {
	errs := make([]error, len(shoots))
	workqueue.ParallelizeUntil(ctx, hands, len(shoots), func(i int) { errs[i] = do(ctx, shoots[i]) })
	return errors.Join(append(errs, ctx.Err())...)
}
