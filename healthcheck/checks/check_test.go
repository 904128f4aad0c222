package checks_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

// shop is the checked object in these tests.
var shop = &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}

// run runs a check of shop with both clusters.
func run(t *testing.T, check healthcheck.NamedCheck[*corev1.Namespace], source, target client.Reader) (healthcheck.Result, error) {
	t.Helper()
	env := healthcheck.Env{}
	// Like the engine: a check gets only what it declared.
	if check.Needs&healthcheck.NeedsSource != 0 {
		env.Source = source
	}
	if check.Needs&healthcheck.NeedsTarget != 0 {
		env.Target = target
	}
	return check.Check.Check(t.Context(), healthcheck.Input[*corev1.Namespace]{Object: shop, Env: env})
}

func web(ns *corev1.Namespace) *appsv1.Deployment {
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: ns.Name, Name: "web"}}
}

// TestOne checks a Deployment without TypeMeta, like any typed object that was read.
func TestOne(t *testing.T) {
	healthy, sick, none := fake.NewFakeClient(deployment()), fake.NewFakeClient(deployment(unavailable)), fake.NewFakeClient()
	nameless := func(*corev1.Namespace) *appsv1.Deployment { return &appsv1.Deployment{} }
	skipped := healthcheck.Result{Status: healthcheck.Skipped, Reason: checks.ReasonNotFound, Message: "Deployment shop/web is not found"}
	tests := map[string]struct {
		check          healthcheck.NamedCheck[*corev1.Namespace]
		source, target client.Reader
		want           healthcheck.Result
	}{
		"healthy":       {checks.One("web", checks.Source, web, checks.Deployment), healthy, sick, passes},
		"in the target": {checks.One("web", checks.Target, web, checks.Deployment), healthy, sick, fails("NotAvailable", "Deployment shop/web: "+unavailableText)},
		"missing":       {checks.One("web", checks.Source, web, checks.Deployment), none, healthy, fails(checks.ReasonNotFound, "Deployment shop/web is not found")},
		"skipped":       {checks.One("web", checks.Source, web, checks.Deployment, checks.MissingIsSkipped()), none, nil, skipped},
		"awaited": {checks.One("web", checks.Source, web, checks.Deployment, checks.MissingWithin(time.Minute)), none, nil,
			healthcheck.Result{Status: healthcheck.Progressing, Within: time.Minute, Reason: checks.ReasonNotFound, Overdue: checks.ReasonNotFound, Message: "Deployment shop/web is not found"}},
		"awaited no time": {checks.One("web", checks.Source, web, checks.Deployment, checks.MissingWithin(0)), none, nil, fails(checks.ReasonNotFound, "Deployment shop/web is not found")},
		"nameless":        {checks.One("web", checks.Source, nameless, checks.Deployment), healthy, nil, fails(checks.ReasonNotFound, "No name is given for a Deployment")},
		"without words": {checks.One("web", checks.Source, web, func(*appsv1.Deployment) healthcheck.Result {
			return healthcheck.Result{Status: healthcheck.Unknown, Reason: "Odd"}
		}), healthy, nil,
			healthcheck.Result{Status: healthcheck.Unknown, Reason: "Odd", Message: "Deployment shop/web: Odd"}},
		"unstructured": {checks.One("web", checks.Source, func(ns *corev1.Namespace) *unstructured.Unstructured {
			u := &unstructured.Unstructured{}
			u.SetAPIVersion("apps/v1")
			u.SetKind("Deployment")
			u.SetNamespace(ns.Name)
			u.SetName("web")
			return u
		}, checks.APIService), sick, nil, fails("NotAvailable", "Deployment shop/web: Condition Available is False (MinimumReplicasUnavailable): Deployment does not have minimum availability.")},
		"cluster-wide": {checks.One("node", checks.Source, func(*corev1.Namespace) *corev1.Node { return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}} }, checks.Node), none, nil,
			fails(checks.ReasonNotFound, "Node n is not found")},
		"itself":                {checks.Self("self", func(ns *corev1.Namespace) healthcheck.Result { return fails("Told", ns.Name) }), nil, nil, fails("Told", "shop")},
		"in many lines":         {checks.One("web", checks.Source, web, func(*appsv1.Deployment) healthcheck.Result { return fails("Told", "a\n b ") }), healthy, nil, fails("Told", "Deployment shop/web: a b")},
		"itself, in many lines": {checks.Self("self", func(*corev1.Namespace) healthcheck.Result { return fails("Told", "a\n b ") }), nil, nil, fails("Told", "a b")},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := run(t, tt.check, tt.source, tt.target)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// TestErrors: an object that cannot be read is an error, which the engine makes Unknown, and
// never a pass.
func TestErrors(t *testing.T) {
	refused := errors.New("refused")
	broken := fake.NewClientBuilder().WithInterceptorFuncs(interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return refused
		},
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error { return refused },
	}).Build()
	skip := checks.MissingIsSkipped()
	tests := map[string]struct {
		check healthcheck.NamedCheck[*corev1.Namespace]
		want  string
	}{
		"one":  {checks.One("web", checks.Source, web, checks.Deployment, skip), "getting Deployment shop/web: refused"},
		"each": {checks.Each("pods", checks.Target, pods, checks.Pod, skip), "listing for kind Pod: refused"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := run(t, tt.check, broken, broken)
			if !errors.Is(err, refused) || err.Error() != tt.want || got.Status == healthcheck.True {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}
