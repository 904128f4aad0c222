package fleet

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// readRecords adds the records, and what their next steps depend on.
func (l *look) readRecords(ctx context.Context, namespace string) error {
	if !l.Records {
		return nil
	}
	var list v1alpha1.MachineRemediationList
	if err := l.Client.List(ctx, &list, client.InNamespace(namespace), client.UnsafeDisableDeepCopy); err != nil {
		return fmt.Errorf("listing MachineRemediations: %w", err)
	}
	for i := range list.Items {
		one := &explain.Record{Record: &list.Items[i]}
		l.facts.Records = append(l.facts.Records, one)
		if !ladder.Ended(one.Record) {
			l.observe(ctx, one)
		}
	}
	l.past()
	return nil
}

// observe adds what the next step of an open record depends on.
func (l *look) observe(ctx context.Context, one *explain.Record) {
	var err error
	// Observing may update the record.
	if one.Facts, err = l.Repairs.Look(ctx, one.Record.DeepCopy()); err != nil {
		one.Problem = err.Error()
	}
	check := l.checks[one.Record.Spec.HealthCheckRef.UID]
	if machine := l.machines[one.Record.Spec.MachineRef.UID]; machine != nil {
		machine.Record, check = one, machine.Check
	}
	if check != nil {
		check.Open = append(check.Open, one)
	}
	if err := l.addReboot(ctx, one); err != nil {
		one.Problem = err.Error()
	}
}

// addReboot adds the power cycle that the current attempt asked for.
func (l *look) addReboot(ctx context.Context, one *explain.Record) error {
	attempt := ladder.AtWork(one.Record)
	if attempt == nil || attempt.ObjectRef == nil || attempt.ObjectRef.Kind != "RebootRemediation" {
		return nil
	}
	key := client.ObjectKey{Namespace: one.Record.Namespace, Name: attempt.ObjectRef.Name}
	request := &v1alpha1.RebootRemediation{}
	if err := l.Live.Get(ctx, key, request); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("getting RebootRemediation %s: %w", key, err)
	}
	if request.UID != "" {
		one.Reboot = request
	}
	return nil
}

// past adds the ended records of each machine and of its host, the latest first.
func (l *look) past() {
	byHost := map[string][]*explain.Record{}
	for _, one := range l.facts.Records {
		if host := one.Record.Spec.HostRef; host != nil && ladder.Ended(one.Record) {
			byHost[string(host.UID)] = append(byHost[string(host.UID)], one)
		}
	}
	for _, one := range l.facts.Records {
		machine := l.machines[one.Record.Spec.MachineRef.UID]
		if machine == nil {
			continue
		}
		if ladder.Ended(one.Record) {
			machine.Past = append(machine.Past, one)
		}
		if host := one.Record.Spec.HostRef; host != nil {
			machine.Past = append(machine.Past, byHost[string(host.UID)]...)
		}
	}
	for _, machine := range l.facts.Machines {
		slices.SortFunc(machine.Past, func(a, b *explain.Record) int {
			return cmp.Or(b.Record.Status.CompletionTime.Compare(a.Record.Status.CompletionTime.Time), explain.ByName(a.Record, b.Record))
		})
		machine.Past = slices.CompactFunc(machine.Past, func(a, b *explain.Record) bool { return a == b })
	}
}
