package policies

import (
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/reboot/quorum"
)

// value is what an annotation may hold: an expression about v.
type value struct{ key, valid string }

const (
	// isBool is what strconv.ParseBool reads.
	isBool = `v in ['1', 't', 'T', 'TRUE', 'true', 'True', '0', 'f', 'F', 'FALSE', 'false', 'False']`
	// isSwitch is stricter, as a Cluster is not to be paused by a guess.
	isSwitch = `v in ['true', 'false']`
	// isDuration is what time.ParseDuration reads, of at least 0 and however long.
	isDuration = `v.matches('^([+-]?0|[+]?(([0-9]+([.][0-9]*)?|[.][0-9]+)(ns|us|µs|μs|ms|s|m|h))+|-((0+([.]0*)?|[.]0+)(ns|us|µs|μs|ms|s|m|h))+)$')`
	// isTime is what time.Parse reads as RFC 3339, and also the 29th of February in every year.
	isTime = `v.matches('^[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))` +
		`T([01]?[0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.,][0-9]+)?(Z|[+-]([01][0-9]|2[0-4]):([0-5][0-9]|60))$')`
	// isCount is a number or a percentage above 0, however large.
	isCount = `v.matches('^[+]?[0-9]*[1-9][0-9]*%?$')`
)

// onHealthChecks are the annotations whose values are looked at on MachineHealthChecks.
var onHealthChecks = []value{
	{mhcspec.DryRunAnnotation, isBool},
	{mhcspec.PauseOnUpgradeAnnotation, isSwitch},
	{mhcspec.ResumedAtAnnotation, isTime},
	{mhcspec.ProvisioningTimeoutAnnotation, isDuration},
	{mhcspec.HostErrorTimeoutAnnotation, isDuration},
	{mhcspec.HoldUntilAnnotation, isTime},
}

// besidePlans are those that a MachineHealthCheck must not have which names a plan.
var besidePlans = []value{
	{mhcspec.MaxInFlightAnnotation, isCount},
	{mhcspec.StrategyAnnotation, "v == '" + string(mhcspec.StrategyReboot) + "'"},
	{mhcspec.ExternalStrategyAnnotation, "v == 'external-baremetal'"},
}

var onClusters = []value{
	{quorum.Permission, isSwitch},
	{mhcspec.HoldUntilAnnotation, isTime},
	{mhcspec.PauseOnUpgradeAnnotation, isSwitch},
}

var onMachines = []value{{mhcspec.HoldUntilAnnotation, isTime}}
