package gardener

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"

	"github.com/sickbay-dev/sickbay/healthcheck"
)

// Reconciler returns the engine for the registration. It reads and writes with c.
func (r *Registration) Reconciler(c client.Client) (*healthcheck.Reconciler[client.Object], error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	classes := classesOrDefault(r.ExtensionClasses)
	period := cmp.Or(r.HealthCheckConfig.SyncPeriod.Duration, defaultSyncPeriod)
	name := cmp.Or(r.Name, r.defaultName())
	concerned := concerns(r.Type, classes)
	watches, err := r.watches(c, classes, concerned)
	if err != nil {
		return nil, err
	}
	registration := healthcheck.Registration[client.Object]{
		Name:       name,
		Subset:     r.defaultName(),
		New:        r.New,
		Conditions: r.conditions(),
		Store:      Store[client.Object]{Client: c, FieldOwner: name, Former: r.Former, Clock: r.Clock},
		Source:     c,
		Targets:    r.targets(c),
		Parent:     parents{reader: c, decoded: r.hasPreChecks()}.of,
		SyncPeriod: period, CheckTimeout: period,
		Recorder:                r.Recorder,
		MaxConcurrentReconciles: cmp.Or(r.Controller.MaxConcurrentReconciles, defaultConcurrency),
		Predicates:              append([]predicate.Predicate{concerned}, r.Predicates...),
		Watches:                 watches,
	}
	reconciler := &healthcheck.Reconciler[client.Object]{Registration: registration, Client: ours{c, concerned}, Clock: clockOr(r.Clock)}
	return reconciler, reconciler.Validate()
}

// conditions groups the checks by condition, in their order.
func (r *Registration) conditions() []healthcheck.ConditionChecks[client.Object] {
	var conditions []healthcheck.ConditionChecks[client.Object]
	for _, check := range r.HealthChecks {
		i := slices.IndexFunc(conditions, func(c healthcheck.ConditionChecks[client.Object]) bool { return c.Type == check.ConditionType })
		if i < 0 {
			i = len(conditions)
			conditions = append(conditions, r.condition(check.ConditionType))
		}
		c := &conditions[i]
		needs := needsOf(check.HealthCheck) | healthcheck.NeedsParent
		if check.PreCheckFunc != nil {
			needs |= healthcheck.NeedsSource
		}
		c.Checks = append(c.Checks, healthcheck.NamedCheck[client.Object]{
			Name: unique(nameOf(check.HealthCheck), c.Checks), Needs: needs, Check: registered{check, r.Rules, r.UnknownPasses},
		})
	}
	return conditions
}

func (r *Registration) condition(conditionType string) healthcheck.ConditionChecks[client.Object] {
	c := healthcheck.ConditionChecks[client.Object]{
		Type:      conditionType,
		Prechecks: []healthcheck.Precheck[client.Object]{undisturbed}, PrecheckNeeds: healthcheck.NeedsParent,
		WhileUndecided: healthcheck.LeaveAlone,
	}
	if r.Rules == BestRules {
		c.Summary = wordsOf(r.Texts, r.Kind.Kind)
		return c
	}
	c.Conclude = concluder(r.Texts, r.Kind.Kind)
	return c
}

// unique returns a name that no other check of the condition has.
func unique(name string, others []healthcheck.NamedCheck[client.Object]) string {
	name = strings.ReplaceAll(name, "|", "-")
	free := name
	for i := 2; slices.ContainsFunc(others, func(o healthcheck.NamedCheck[client.Object]) bool { return o.Name == free }); i++ {
		free = fmt.Sprintf("%s-%d", name, i)
	}
	return free
}

func (r *Registration) hasPreChecks() bool {
	return slices.ContainsFunc(r.HealthChecks, func(c ConditionTypeToHealthCheck) bool { return c.PreCheckFunc != nil })
}

func (r *Registration) targets(c client.Client) healthcheck.Targets[client.Object] {
	if r.Targets != nil {
		return r.Targets
	}
	targets := &ShootTargets{Client: c, Scheme: c.Scheme(), External: os.Getenv("GARDENER_SHOOT_CLIENT") == "external"}
	if options := r.HealthCheckConfig.ShootRESTOptions; options != nil {
		targets.RESTOptions = *options
	}
	return targets
}

// watches returns those of the registration. If its objects have class shoot, it adds
// Clusters, whose events show when a shoot hibernates or wakes up.
func (r *Registration) watches(c client.Client, classes []extensionsv1alpha1.ExtensionClass, concerned predicate.Predicate) ([]healthcheck.Watch, error) {
	if !slices.Contains(classes, extensionsv1alpha1.ExtensionClassShoot) {
		return r.Watches, nil
	}
	newList := func() (client.ObjectList, error) {
		if r.NewList != nil {
			return r.NewList(), nil
		}
		return listOf(c.Scheme(), r.Kind, r.New())
	}
	if _, err := newList(); err != nil {
		return nil, fmt.Errorf("registration of %s %q: %w", r.Kind.Kind, r.Type, err)
	}
	wanted := append([]predicate.Predicate{concerned}, r.Predicates...)
	return append(slices.Clone(r.Watches), healthcheck.Watch{
		Object: &extensionsv1alpha1.Cluster{}, Map: ofCluster(c, newList, wanted),
	}), nil
}

// defaultName is the same after each restart, as names in metrics should be.
func (r *Registration) defaultName() string {
	parts := []string{ControllerName, r.Kind.Kind, r.Type}
	classes := classesOrDefault(r.ExtensionClasses)
	if !slices.Equal(classes, classesOrDefault(nil)) {
		for _, class := range classes {
			parts = append(parts, string(class))
		}
	}
	return strings.ToLower(strings.Join(parts, "-"))
}
