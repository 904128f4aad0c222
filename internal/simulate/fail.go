package simulate

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/sickbay-dev/sickbay/internal/explain"
	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
)

// Fail selects machines whose Nodes stop being Ready: a zone, a percentage, or one machine.
type Fail struct {
	text          string
	zone, machine string
	percent       float64
}

// ParseFail reads zone=NAME, 10%, or machine/NAME.
func ParseFail(text string) (Fail, error) {
	f := Fail{text: text}
	if zone, ok := strings.CutPrefix(text, "zone="); ok && zone != "" {
		f.zone = zone
		return f, nil
	}
	if name, ok := strings.CutPrefix(text, "machine/"); ok && name != "" {
		f.machine = name
		return f, nil
	}
	if number, ok := strings.CutSuffix(text, "%"); ok {
		percent, err := strconv.ParseFloat(number, 64)
		if err == nil && percent > 0 && percent <= 100 {
			f.percent = percent
			return f, nil
		}
	}
	return f, fmt.Errorf("%q is not valid: it must be zone=NAME, a percentage up to 100%%, or machine/NAME", text)
}

// String returns the text that was parsed.
func (f Fail) String() string { return f.text }

// failing has the machines that one Fail selects.
type failing struct {
	fail     Fail
	machines []*machine
	// nodeless counts the selected machines without a Node.
	nodeless int
}

// failing finds the machines that fail. A Fail that selects none is an error.
func (s *Scene) failing(fails []Fail) ([]failing, error) {
	var all []failing
	for _, fail := range fails {
		chosen := s.chosen(fail)
		if len(chosen) == 0 {
			return nil, s.nobody(fail)
		}
		one := failing{fail: fail}
		for _, m := range chosen {
			if !m.obj.Status.NodeRef.IsDefined() {
				one.nodeless++
				continue
			}
			one.machines = append(one.machines, m)
		}
		all = append(all, one)
	}
	return all, nil
}

func (s *Scene) chosen(f Fail) []*machine {
	if f.percent > 0 {
		return s.share(f.percent)
	}
	var all []*machine
	for _, m := range s.machines {
		if (f.zone != "" && cmp.Or(m.obj.Status.FailureDomain, m.obj.Spec.FailureDomain) == f.zone) || (f.machine != "" && m.obj.Name == f.machine) {
			all = append(all, m)
		}
	}
	return all
}

// share returns a percentage of the machines, at least one. The choice is always the same.
func (s *Scene) share(percent float64) []*machine {
	if len(s.machines) == 0 {
		return nil
	}
	all := slices.Clone(s.machines)
	hash := make(map[*machine][sha256.Size]byte, len(all))
	for _, m := range all {
		hash[m] = sha256.Sum256([]byte(m.obj.UID))
	}
	slices.SortFunc(all, func(a, b *machine) int {
		one, other := hash[a], hash[b]
		return bytes.Compare(one[:], other[:])
	})
	n := int(math.Floor(percent * float64(len(all)) / 100))
	all = all[:max(1, n)]
	slices.SortFunc(all, func(a, b *machine) int {
		return cmp.Or(cmp.Compare(a.obj.Namespace, b.obj.Namespace), cmp.Compare(a.obj.Name, b.obj.Name))
	})
	return all
}

// nobody returns the error for a Fail that selects no machine.
func (s *Scene) nobody(f Fail) error {
	switch {
	case f.zone != "":
		return fmt.Errorf("no machine of these MachineHealthChecks is in failure domain %s: %s", f.zone, s.places())
	case f.machine != "":
		return fmt.Errorf("machine %s does not belong to any of these MachineHealthChecks", f.machine)
	}
	return fmt.Errorf("%s of the machines cannot fail: these MachineHealthChecks have no machines", f)
}

// places names the failure domains of the machines.
func (s *Scene) places() string {
	var all []string
	for _, m := range s.machines {
		if domain := cmp.Or(m.obj.Status.FailureDomain, m.obj.Spec.FailureDomain); domain != "" {
			all = append(all, domain)
		}
	}
	if len(all) == 0 {
		return "none of them has one"
	}
	slices.Sort(all)
	return "they are in " + explain.SomeNames(slices.Compact(all))
}

// fail makes the Nodes of machines stop being Ready. A Node that is already not Ready stays as it is.
func (s *Scene) fail(all []failing) {
	for _, one := range all {
		for _, m := range one.machines {
			if m.fails || m.notReady() {
				continue
			}
			m.fails = true
			m.ready(s, corev1.ConditionUnknown, "NodeStatusUnknown")
			s.moment.failed = append(s.moment.failed, m)
		}
	}
}

// notReady reports whether the Node of a machine is known not to be Ready.
func (m *machine) notReady() bool {
	if m.health == nil || m.health.Node.State == verdict.NodeUnreadable {
		return false
	}
	if m.health.Node.State != verdict.NodeFound {
		return true
	}
	return slices.ContainsFunc(m.health.Node.Node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status != corev1.ConditionTrue
	})
}
