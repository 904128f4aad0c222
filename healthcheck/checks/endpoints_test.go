package checks_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

// slice returns an EndpointSlice of a Service; nil is an endpoint that does not say whether it is ready.
func slice(namespace, service, name string, ready ...*bool) *discoveryv1.EndpointSlice {
	s := &discoveryv1.EndpointSlice{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{discoveryv1.LabelServiceName: service}}}
	for _, r := range ready {
		s.Endpoints = append(s.Endpoints, discoveryv1.Endpoint{Addresses: []string{"10.0.0.1"}, Conditions: discoveryv1.EndpointConditions{Ready: r}})
	}
	return s
}

func TestServiceEndpoints(t *testing.T) {
	up, down := new(true), new(false)
	const missing = "Service shop/web has no EndpointSlice"
	for name, tt := range map[string]struct {
		slices  []client.Object
		options []checks.Option
		want    healthcheck.Result
	}{
		"ready":                {[]client.Object{slice("shop", "web", "a", down, up)}, nil, passes},
		"ready in another one": {[]client.Object{slice("shop", "web", "a", down), slice("shop", "web", "b", up)}, nil, passes},
		"unsaid":               {[]client.Object{slice("shop", "web", "a", nil)}, nil, passes},
		"none ready":           {[]client.Object{slice("shop", "web", "a", down, down)}, nil, fails(checks.ReasonNoEndpoints, "Service shop/web: No endpoint is ready")},
		"empty":                {[]client.Object{slice("shop", "web", "a")}, nil, fails(checks.ReasonNoEndpoints, "Service shop/web: No endpoint is ready")},
		"those of others":      {[]client.Object{slice("shop", "db", "a", up), slice("mall", "web", "b", up)}, nil, fails(checks.ReasonNotFound, missing)},
		"none":                 {nil, nil, fails(checks.ReasonNotFound, missing)},
		"none, skipped":        {nil, []checks.Option{checks.MissingIsSkipped()}, healthcheck.Result{Status: healthcheck.Skipped, Reason: checks.ReasonNotFound, Message: missing}},
	} {
		t.Run(name, func(t *testing.T) {
			web := func(ns *corev1.Namespace) *corev1.Service {
				return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web"}}
			}
			got, err := run(t, checks.ServiceEndpoints("web", checks.Source, web, tt.options...), fake.NewClientBuilder().WithObjects(tt.slices...).Build(), nil)
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("error %v (-want +got)\n%s", err, diff)
			}
		})
	}
	nameless := checks.ServiceEndpoints("web", checks.Source, func(*corev1.Namespace) *corev1.Service { return &corev1.Service{} })
	if got, err := run(t, nameless, nil, nil); err != nil || got.Reason != checks.ReasonNotFound {
		t.Errorf("without a name: %+v, %v", got, err)
	}
	if err := checks.ServiceEndpoints[*corev1.Namespace]("web", checks.Source, nil).Check.(healthcheck.Validator).Validate(); err == nil {
		t.Error("a Service that nobody finds is accepted")
	}
}
