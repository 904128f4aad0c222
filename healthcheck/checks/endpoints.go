package checks

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// ReasonNoEndpoints means that a Service has no ready endpoint.
const ReasonNoEndpoints = "NoReadyEndpoints"

// ServiceEndpoints checks that a Service that another object depends on has an endpoint that is ready, by its EndpointSlices.
// Find returns which Service, by namespace and name, as in One. As the API has it, an endpoint that does not say whether it is
// ready is.
//
// It is False if there are slices and none has a ready endpoint (ReasonNoEndpoints). If there is no slice, or no name is given,
// it is False with ReasonNotFound, or what an option says: the Service is missing, or it selects nothing. It does not read the
// Service. An event of an EndpointSlice is one of the Service in its label kubernetes.io/service-name: see Watch.Map.
func ServiceEndpoints[T any](name string, cluster Cluster, find func(T) *corev1.Service, options ...Option) healthcheck.NamedCheck[T] {
	settings := settingsOf(options)
	check := func(ctx context.Context, in healthcheck.Input[T]) (healthcheck.Result, error) {
		service := find(in.Object)
		if service.Name == "" {
			return settings.missing(notFound("No name is given for a Service")), nil
		}
		what := describe(service)
		var slices discoveryv1.EndpointSliceList
		ofService := client.MatchingLabels{discoveryv1.LabelServiceName: service.Name}
		if err := cluster.reader(in.Env).List(ctx, &slices, client.InNamespace(service.Namespace), ofService); err != nil {
			return healthcheck.Result{}, fmt.Errorf("listing the endpoints of %s: %w", what, StableError(err))
		}
		if len(slices.Items) == 0 {
			return settings.missing(notFound(what + " has no EndpointSlice")), nil
		}
		return about(what, judgeEndpoints(slices.Items)), nil
	}
	return healthcheck.NamedCheck[T]{
		Name: name, Check: checkOf(check, required(find == nil, errNoFind), settings.problem), Needs: cluster.needs(), Reads: []string{"EndpointSlice"},
	}
}

// judgeEndpoints requires a ready endpoint.
func judgeEndpoints(slices []discoveryv1.EndpointSlice) healthcheck.Result {
	for i := range slices {
		for _, endpoint := range slices[i].Endpoints {
			if ready := endpoint.Conditions.Ready; ready == nil || *ready {
				return healthy()
			}
		}
	}
	return unhealthy(ReasonNoEndpoints, "No endpoint is ready")
}
