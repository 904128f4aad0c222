package keys

import (
	"slices"
	"strings"

	"github.com/sickbay-dev/sickbay/internal/externalremediation"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/reboot/quorum"
	"github.com/sickbay-dev/sickbay/internal/remedy"
	"github.com/sickbay-dev/sickbay/internal/upgradepause/pause"
)

// Prefix begins the names of all annotations, labels and finalizers of Sickbay.
const Prefix = "sickbay.dev/"

// The kinds of others on which annotations of Sickbay may stand, those of Cluster API and of OpenShift alike.
const (
	HealthCheck = "MachineHealthCheck"
	Machine     = "Machine"
	Cluster     = "Cluster"
)

// Writer is who writes an annotation.
type Writer int

// The writers.
const (
	// Person is one who tells Sickbay what to do.
	Person Writer = iota
	// Sickbay notes something for itself.
	Sickbay
	// Either is what Sickbay writes and a person may write, too.
	Either
)

// Annotation is one that may stand on a kind.
type Annotation struct {
	Key string
	By  Writer
}

var onHealthChecks = []Annotation{
	{mhcspec.DryRunAnnotation, Person},
	{mhcspec.HoldReasonAnnotation, Person},
	{mhcspec.HoldUntilAnnotation, Person},
	{mhcspec.HostErrorTimeoutAnnotation, Person},
	{mhcspec.MaxInFlightAnnotation, Person},
	{mhcspec.PauseOnUpgradeAnnotation, Person},
	{mhcspec.ProvisioningTimeoutAnnotation, Person},
	{mhcspec.StrategyAnnotation, Person},
	{mhcspec.ResumedAtAnnotation, Either},
	{pause.HandledAnnotation, Sickbay},
	{pause.PausedAtAnnotation, Sickbay},
	{pause.WarnedAtAnnotation, Sickbay},
	{pause.SettlingAnnotation, Sickbay},
}

var onMachines = []Annotation{
	{mhcspec.HoldReasonAnnotation, Person},
	{mhcspec.HoldUntilAnnotation, Person},
	{externalremediation.OutcomeAnnotation, Sickbay},
	{remedy.RebootOperationAnnotation, Sickbay},
	{remedy.RebootRequestedAtAnnotation, Sickbay},
}

var onClusters = []Annotation{
	{quorum.Permission, Person},
	{mhcspec.HoldReasonAnnotation, Person},
	{mhcspec.HoldUntilAnnotation, Person},
	{mhcspec.PauseOnUpgradeAnnotation, Person},
}

// On are the annotations that may stand on a kind; none for one that is not of others.
func On(kind string) []Annotation {
	switch kind {
	case HealthCheck:
		return onHealthChecks
	case Machine:
		return onMachines
	case Cluster:
		return onClusters
	}
	return nil
}

// Unknown reports whether a name looks like an annotation of Sickbay, and is none of those on a kind.
func Unknown(kind, key string) bool {
	return strings.HasPrefix(key, Prefix) && !slices.ContainsFunc(On(kind), func(a Annotation) bool { return a.Key == key })
}

// ForPeople are the names of those that a person may write on a kind, sorted.
func ForPeople(kind string) (names []string) {
	for _, a := range On(kind) {
		if a.By != Sickbay {
			names = append(names, a.Key)
		}
	}
	slices.Sort(names)
	return names
}
