package dashboard

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/util/cache"
	"k8s.io/client-go/rest"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// Shown returns the kinds that the pages show. A person needs the right to list all of them to see a page.
func Shown() []authorizationv1.ResourceAttributes {
	capi, own := clusterv1.GroupVersion.Group, v1alpha1.GroupVersion.Group
	return []authorizationv1.ResourceAttributes{
		{Group: capi, Resource: "clusters"}, {Group: capi, Resource: "machines"}, {Group: capi, Resource: "machinehealthchecks"},
		{Group: own, Resource: "machineremediations"}, {Group: own, Resource: "machineremediationtemplates"}, {Group: own, Resource: "rebootremediations"},
	}
}

// refusal is the answer to a person who may not see a page.
type refusal struct {
	status   int
	sentence string
}

func (r *refusal) Error() string { return r.sentence }

// errNobody refuses a request without a token.
var errNobody = &refusal{http.StatusUnauthorized, "Sign in to see this page."}

const (
	// reviewQPS and reviewBurst limit the reviews that strangers can cause.
	reviewQPS   = 20
	reviewBurst = 60
	// reviewTimeout bounds how long a person waits for a review.
	reviewTimeout = 10 * time.Second
)

// reviewer asks the API server who a person is, and whether that person may see the pages.
type reviewer struct {
	// client asks about strangers, and limits how often; prompt asks about people whom the API server has admitted before, so that strangers
	// do not lock them out.
	client, prompt client.Client
	namespace      string
	// known caches the users who may, by a hash of their tokens. Others are not cached: strangers could fill the cache.
	known *cache.Expiring
	// admitted are the hashes of tokens that were good for somebody who may, as long as a browser keeps them.
	admitted *cache.Expiring
}

func newReviewer(o GuardOptions) (*reviewer, error) {
	limited, err := reviewClient(o, reviewQPS)
	if err != nil {
		return nil, err
	}
	prompt, err := reviewClient(o, -1)
	if err != nil {
		return nil, err
	}
	known, admitted := cache.NewExpiringWithClock(o.Clock), cache.NewExpiringWithClock(o.Clock)
	return &reviewer{client: limited, prompt: prompt, namespace: o.Namespace, known: known, admitted: admitted}, nil
}

func reviewClient(o GuardOptions, qps float32) (client.Client, error) {
	cfg := rest.CopyConfig(o.Config)
	cfg.QPS, cfg.Burst, cfg.RateLimiter = qps, reviewBurst, nil
	c, err := client.New(cfg, client.Options{Scheme: o.Scheme, Mapper: o.Mapper})
	if err != nil {
		return nil, fmt.Errorf("making a client for reviews: %w", err)
	}
	return c, nil
}

// of returns the user of a token. The error is a refusal if there is no such user or the user may not see the pages; any other error means that
// the API server did not answer.
func (v *reviewer) of(ctx context.Context, token string) (authenticationv1.UserInfo, error) {
	key := sha256.Sum256([]byte(token))
	if user, ok := v.known.Get(key); ok {
		return user.(authenticationv1.UserInfo), nil
	}
	ctx, cancel := context.WithTimeout(ctx, reviewTimeout)
	defer cancel()
	asks := v.client
	if _, ok := v.admitted.Get(key); ok {
		asks = v.prompt
	}
	user, err := authenticate(ctx, asks, token)
	if err != nil {
		v.admitted.Delete(key)
		return authenticationv1.UserInfo{}, err
	}
	for _, kind := range Shown() {
		if err := v.authorize(ctx, asks, user, kind); err != nil {
			return authenticationv1.UserInfo{}, err
		}
	}
	v.known.Set(key, user, reviewTTL)
	v.admitted.Set(key, true, signInTime)
	return user, nil
}

func authenticate(ctx context.Context, c client.Client, token string) (authenticationv1.UserInfo, error) {
	review := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token}}
	if err := c.Create(ctx, review); err != nil {
		return authenticationv1.UserInfo{}, fmt.Errorf("asking the API server about the token: %w", err)
	}
	if !review.Status.Authenticated {
		return authenticationv1.UserInfo{}, &refusal{http.StatusUnauthorized, "The API server does not know this token, or it has expired."}
	}
	return review.Status.User, nil
}

func (v *reviewer) authorize(ctx context.Context, c client.Client, user authenticationv1.UserInfo, kind authorizationv1.ResourceAttributes) error {
	kind.Verb, kind.Namespace = "list", v.namespace
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		ResourceAttributes: &kind, User: user.Username, Groups: user.Groups, UID: user.UID, Extra: map[string]authorizationv1.ExtraValue{},
	}}
	for key, values := range user.Extra {
		review.Spec.Extra[key] = authorizationv1.ExtraValue(values)
	}
	if err := c.Create(ctx, review); err != nil {
		return fmt.Errorf("asking the API server what %s may do: %w", user.Username, err)
	}
	if review.Status.Allowed {
		return nil
	}
	where := "in all namespaces"
	if v.namespace != "" {
		where = "in the namespace " + v.namespace
	}
	return &refusal{http.StatusForbidden, fmt.Sprintf("%s may not list %s.%s %s, which the pages show. The ClusterRole sickbay-dashboard grants that.",
		user.Username, kind.Resource, kind.Group, where)}
}
