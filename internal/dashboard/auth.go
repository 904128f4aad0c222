package dashboard

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/useractions"
)

// fieldOwner is the field manager of writes through the dashboard.
const fieldOwner = ownwrites.DashboardFieldOwner

// Guard admits people whom the API server authenticates and allows to read what the pages show. It takes their bearer tokens from a header
// or from the cookie that the sign-in form sets.
type Guard struct {
	options GuardOptions
	review  *reviewer
}

// GuardOptions are the options of a Guard.
type GuardOptions struct {
	// Config is the manager's. The guard uses its rights only to ask the API server about people.
	Config *rest.Config
	Scheme *runtime.Scheme
	Mapper meta.RESTMapper
	// Namespace is the namespace that the pages show; empty means all.
	Namespace string
	// Policy is the manager's. It determines what people are told when they act.
	Policy mhcspec.Policy
	Clock  clock.WithTicker
}

// NewGuard makes a guard.
func NewGuard(o GuardOptions) (*Guard, error) {
	review, err := newReviewer(o)
	if err != nil {
		return nil, err
	}
	return &Guard{options: o, review: review}, nil
}

// visitor is the person who has sent a request.
type visitor struct {
	token string
	user  authenticationv1.UserInfo
}

type visitorKey struct{}

func visitorOf(ctx context.Context) (visitor, bool) {
	v, ok := ctx.Value(visitorKey{}).(visitor)
	return v, ok
}

// Viewer returns the name of the person who sent a request; empty if no guard admitted it.
func Viewer(r *http.Request) string {
	v, _ := visitorOf(r.Context())
	return v.user.Username
}

// Person returns the person who sent a request, with a client that uses that person's token. The manager needs no right for that, and
// lends none.
func (g *Guard) Person(r *http.Request) (*useractions.Person, error) {
	v, ok := visitorOf(r.Context())
	if !ok {
		return nil, errors.New("nobody has signed in")
	}
	cfg := rest.AnonymousClientConfig(g.options.Config)
	// A person waits for the answer and makes few requests, so the client does not throttle itself.
	cfg.BearerToken, cfg.QPS, cfg.RateLimiter = v.token, -1, nil
	c, err := client.New(cfg, client.Options{Scheme: g.options.Scheme, Mapper: g.options.Mapper})
	if err != nil {
		return nil, fmt.Errorf("reaching the management cluster: %w", err)
	}
	return &useractions.Person{Client: c, Name: v.user.Username, Writer: fieldOwner, Command: "sickbay", Policy: g.options.Policy, Clock: g.options.Clock}, nil
}

// Protect serves the sign-in form and the assets to everybody, and all else to people who may see it. It refuses forms from other sites.
func (g *Guard) Protect(next http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+assetsPath+"{name}", serveAsset)
	mux.HandleFunc("GET "+loginPath, g.showLogin)
	mux.HandleFunc("POST "+loginPath, g.login)
	mux.HandleFunc("POST "+logoutPath, logout)
	mux.Handle("/", g.admit(next))
	return sameOrigin(secured(mux))
}

// admit serves people who may see the pages.
func (g *Guard) admit(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := tokenOf(r)
		if token == "" {
			refuse(w, r, errNobody)
			return
		}
		user, err := g.review.of(r.Context(), token)
		if err != nil {
			refuse(w, r, err)
			return
		}
		ctx := context.WithValue(r.Context(), visitorKey{}, visitor{token, user})
		if r.URL.Path == eventsPath {
			var cancel context.CancelFunc
			ctx, cancel = context.WithCancel(ctx)
			defer cancel()
			go g.keepReviewing(ctx, cancel, token)
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// keepReviewing ends a long-running response when the person's rights end.
func (g *Guard) keepReviewing(ctx context.Context, end context.CancelFunc, token string) {
	ticker := g.options.Clock.NewTicker(reviewTTL)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C():
		}
		_, err := g.review.of(ctx, token)
		if refused := (*refusal)(nil); errors.As(err, &refused) {
			end()
			return
		}
	}
}

// tokenOf returns the bearer token of a request. A header takes precedence over the cookie: a proxy sets it.
func tokenOf(r *http.Request) string {
	if header := r.Header.Get("Authorization"); header != "" {
		scheme, token, _ := strings.Cut(strings.TrimSpace(header), " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return ""
		}
		return strings.TrimSpace(token)
	}
	if cookie, err := r.Cookie(tokenCookie); err == nil {
		return cookie.Value
	}
	return ""
}

// signedIn reports whether the person signed in with the form, and so can sign out.
func signedIn(r *http.Request) bool {
	_, err := r.Cookie(tokenCookie)
	return err == nil && r.Header.Get("Authorization") == "" && r.TLS != nil
}

// sameOrigin refuses requests from other sites that could change something.
func sameOrigin(next http.Handler) http.Handler {
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "This request comes from another site, so nothing was done.", http.StatusForbidden)
	}))
	return protection.Handler(next)
}

// reviewTTL is how long the API server's answer about a person stays valid.
const reviewTTL = time.Minute
