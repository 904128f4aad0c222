package admission

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/machinehealth/verdict"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// Share is how many Nodes of a MachineHealthCheck show an unhealthy condition at once.
type Share struct {
	Type string
	// Statuses are the unhealthy ones, in words.
	Statuses string
	// Most is the percentage of Nodes that may show it.
	Most int
	// Shown of Nodes show it; Unread more could not be read.
	Shown, Nodes, Unread int
	// Suspect reports that so many show it, or have since, that its detector may be wrong.
	Suspect bool
}

// fewest is how many Nodes must show a condition to count as many at once. One alone is no sign of a wrong detector, however small the cluster.
const fewest = 2

func (s *Share) over() bool { return s.Shown >= fewest && s.Shown*100 > s.Most*s.Nodes }

// String says why nothing is repaired for the condition.
func (s *Share) String() string {
	many := " at once,"
	if !s.over() {
		many = ", and was on"
	}
	return fmt.Sprintf("%s is %s on %d of %d Nodes%s more than %d%%: its detector may be wrong; no machine is repaired for it until maxShare is raised or no Node shows it",
		s.Type, s.Statuses, s.Shown, s.Nodes, many, s.Most)
}

// said finds in the message of the condition which types were suspects, and how many Nodes were allowed to show them.
var said = regexp.MustCompile(`(?:^|\. )(\S+) is [A-Za-z ]+ on \d+ of \d+ Nodes(?: at once,|, and was on) more than (\d+)%`)

// suspectsBefore returns the percentages of the types that the status of a MachineHealthCheck calls suspect.
func suspectsBefore(mhc *clusterv1.MachineHealthCheck) map[string]int {
	before := map[string]int{}
	c := meta.FindStatusCondition(mhc.Status.Conditions, ConditionSignalsTrusted)
	if c == nil || c.Status != metav1.ConditionFalse {
		return before
	}
	for _, words := range said.FindAllStringSubmatch(c.Message, -1) {
		before[words[1]], _ = strconv.Atoi(words[2])
	}
	return before
}

// SharesOf returns the limits on how many Nodes may show an unhealthy condition.
func SharesOf(mhc *clusterv1.MachineHealthCheck) (all []Share) {
	if !mhcspec.HasAnnotation(mhc, mhcspec.SignalsAnnotation) {
		return nil
	}
	for _, rule := range mhcspec.RulesOf(mhc).NodeConditions {
		i := slices.IndexFunc(all, func(s Share) bool { return s.Type == rule.Type })
		switch {
		case rule.Trust.MaxShare == 0:
		case i >= 0:
			all[i].Statuses += " or " + rule.Status
		default:
			all = append(all, Share{Type: rule.Type, Statuses: rule.Status, Most: rule.Trust.MaxShare})
		}
	}
	return all
}

// TrustedRules returns the rules of a MachineHealthCheck without those about types that its status calls suspect.
func TrustedRules(mhc *clusterv1.MachineHealthCheck) mhcspec.Rules {
	rules, before := mhcspec.RulesOf(mhc), suspectsBefore(mhc)
	var suspects []string
	for _, s := range SharesOf(mhc) {
		if s.Most <= before[s.Type] {
			suspects = append(suspects, s.Type)
		}
	}
	return rules.Without(suspects)
}

// Suspect finds which conditions so many Nodes show at once that their detector may be wrong, and which machines are sick for nothing else. Health returns
// what the verdict on a machine depends on. What is suspect stays so until a person raises the limit, or no Node shows it.
func (f *Facts) Suspect(now time.Time, health func(*clusterv1.Machine) (verdict.Facts, error)) error {
	shares := SharesOf(f.MachineHealthCheck)
	if len(shares) == 0 {
		f.Shares = nil
		return nil
	}
	all := make([]verdict.Facts, len(f.Targets))
	for i := range f.Targets {
		if f.Targets[i].deleting() {
			continue
		}
		var err error
		if all[i], err = health(f.Targets[i].Machine); err != nil {
			return err
		}
		add(shares, all[i], now)
	}
	before := suspectsBefore(f.MachineHealthCheck)
	for _, s := range f.Shares {
		if s.Suspect {
			before[s.Type] = s.Most
		}
	}
	for i := range shares {
		s := &shares[i]
		s.Suspect = s.over() || s.Most <= before[s.Type] && s.Shown+s.Unread > 0
	}
	f.Shares = shares
	for i := range f.Targets {
		f.Targets[i].Suspected = ""
		if f.Targets[i].sick() {
			f.Targets[i].Suspected = Suspected(all[i], shares, now)
		}
	}
	return nil
}

// add counts a Node.
func add(shares []Share, health verdict.Facts, now time.Time) {
	for i := range shares {
		switch s := &shares[i]; health.Node.State {
		case verdict.NodeFound:
			s.Nodes++
			if verdict.Shows(health, s.Type, now) {
				s.Shown++
			}
		case verdict.NodeUnreadable:
			s.Unread++
		case verdict.NodeNone, verdict.NodeGone:
		}
	}
}

// Suspected says why a machine is not repaired if it is sick only by what is suspect; empty if it is sick otherwise.
func Suspected(health verdict.Facts, shares []Share, now time.Time) string {
	var types, says []string
	for i := range shares {
		if s := &shares[i]; s.Suspect && verdict.Shows(health, s.Type, now) {
			types, says = append(types, s.Type), append(says, s.String())
		}
	}
	if len(types) == 0 || verdict.SickWithout(health, types, now) {
		return ""
	}
	return strings.Join(says, ". ")
}

// trustCondition says which conditions of Nodes are suspect.
func trustCondition(shares []Share) metav1.Condition {
	c := metav1.Condition{Type: ConditionSignalsTrusted, Status: metav1.ConditionTrue, Reason: ReasonSignalsTrusted}
	if suspects := Suspects(shares); suspects != "" {
		c.Status, c.Reason, c.Message = metav1.ConditionFalse, ReasonSignalSuspected, suspects
	}
	return c
}

// Suspects says which conditions are suspect; empty if none is.
func Suspects(shares []Share) string {
	var says []string
	for i := range shares {
		if shares[i].Suspect {
			says = append(says, shares[i].String())
		}
	}
	return strings.Join(says, ". ")
}
