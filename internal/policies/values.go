package policies

import (
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/reboot/quorum"
)

// value is an annotation and its valid values, as an expression about v.
type value struct{ key, valid string }

const (
	// isBool matches what strconv.ParseBool accepts.
	isBool = `v in ['1', 't', 'T', 'TRUE', 'true', 'True', '0', 'f', 'F', 'FALSE', 'false', 'False']`
	// isSwitch is stricter, so that a typo pauses no Cluster.
	isSwitch = `v in ['true', 'false']`
	// isDuration matches what time.ParseDuration accepts, from 0 up to any length.
	isDuration = `v.matches('^([+-]?0|[+]?(([0-9]+([.][0-9]*)?|[.][0-9]+)(ns|us|µs|μs|ms|s|m|h))+|-((0+([.]0*)?|[.]0+)(ns|us|µs|μs|ms|s|m|h))+)$')`
	// isTime matches what time.Parse accepts as RFC 3339, and the 29th of February in every year.
	isTime = `v.matches('^[0-9]{4}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|[12][0-9]))` +
		`T([01]?[0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.,][0-9]+)?(Z|[+-]([01][0-9]|2[0-4]):([0-5][0-9]|60))$')`
	// isCount matches a number or a percentage above 0, of any size.
	isCount = `v.matches('^[+]?[0-9]*[1-9][0-9]*%?$')`
)

// onHealthChecks are the annotations of MachineHealthChecks whose values are checked.
var onHealthChecks = []value{
	{mhcspec.DryRunAnnotation, isBool},
	{mhcspec.PauseOnUpgradeAnnotation, isSwitch},
	{mhcspec.ResumedAtAnnotation, isTime},
	{mhcspec.ProvisioningTimeoutAnnotation, isDuration},
	{mhcspec.HostErrorTimeoutAnnotation, isDuration},
	{mhcspec.HoldUntilAnnotation, isTime},
}

// besidePlans are the annotations that a MachineHealthCheck with a plan must not have.
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
