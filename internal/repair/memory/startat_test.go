package memory_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/memory"
)

func at(step, reason string) *v1alpha1.RemediationStart {
	return &v1alpha1.RemediationStart{Step: step, Reason: reason}
}

type records = []*v1alpha1.MachineRemediation

func TestRelapse(t *testing.T) {
	const failed, succeeded = v1alpha1.ResultFailed, v1alpha1.ResultSucceeded
	rebooted := at("evidence", "MachineRemediation a has tried step reboot for the same reason")
	tests := map[string]struct {
		records records
		want    *v1alpha1.RemediationStart
	}{
		"no record":                          {nil, nil},
		"a repair that has helped":           {records{ended("a", tried("reboot", succeeded))}, rebooted},
		"one that has not":                   {records{ended("a", tried("reboot", failed))}, rebooted},
		"one whose time was up":              {records{ended("a", tried("reboot", v1alpha1.ResultTimedOut))}, rebooted},
		"one that nobody has judged":         {records{ended("a", tried("reboot", ""))}, rebooted},
		"the last of several":                {records{ended("a", tried("reboot", failed), tried("reboot", failed), tried("reimage", succeeded))}, at("replace", "MachineRemediation a has tried step reimage for the same reason")},
		"the last in time":                   {records{ended("a", tried("reimage", failed), tried("reboot", succeeded))}, rebooted},
		"evidence after it":                  {records{ended("a", tried("reboot", failed), tried("evidence", succeeded), attempted("wait", failed))}, rebooted},
		"the last step that repairs":         {records{ended("a", tried("replace", failed))}, at("hold", "MachineRemediation a has tried step replace for the same reason")},
		"waited only":                        {records{ended("a", attempted("wait", failed))}, nil},
		"held only":                          {records{ended("a", tried("hold", failed))}, nil},
		"evidence only":                      {records{ended("a", tried("evidence", succeeded))}, nil},
		"no act was made":                    {records{ended("a", attempted("reboot", failed))}, nil},
		"never begun":                        {records{ended("a", asked("replace", v1alpha1.ResultNotBegun))}, nil},
		"healthy before its owner began":     {records{ended("a", asked("replace", succeeded))}, nil},
		"impossible":                         {records{ended("a", asked("reboot", v1alpha1.ResultImpossible))}, nil},
		"broken off after the host was off":  {records{ended("a", brokenOff("reboot"))}, rebooted},
		"aborted by a pause":                 {records{ended("a", tried("reboot", v1alpha1.ResultAborted))}, nil},
		"cancelled by a person":              {records{ended("a", tried("reboot", v1alpha1.ResultCancelled))}, nil},
		"the one after it never began":       {records{ended("a", tried("reboot", failed), asked("replace", v1alpha1.ResultNotBegun))}, rebooted},
		"open":                               {records{ended("a", open, tried("reboot", failed))}, nil},
		"another reason":                     {records{ended("a", reason("DiskUnhealthy"), tried("reboot", failed))}, nil},
		"another machine and host":           {records{ended("a", machine("x"), host("x"), tried("reboot", failed))}, nil},
		"another machine on the same host":   {records{ended("a", machine("x"), tried("reboot", failed))}, at("evidence", "MachineRemediation a has tried step reboot for the same reason on the same host")},
		"another machine without a host":     {records{ended("a", machine("x"), noHost, tried("reboot", failed))}, nil},
		"the same machine on another host":   {records{ended("a", host("x"), tried("reboot", failed))}, rebooted},
		"a moment before the window is over": {records{ended("a", ago(week-1), tried("reboot", failed))}, rebooted},
		"the window is over":                 {records{ended("a", ago(week), tried("reboot", failed))}, nil},
		"the latest record": {records{
			ended("b", ago(3*time.Hour), tried("reimage", failed)), ended("a", tried("reboot", failed)), ended("c", ago(2*time.Hour), tried("replace", failed)),
		}, rebooted},
		"the latest that has tried": {records{ended("a", ago(2*time.Hour), tried("reboot", failed)), ended("b", attempted("wait", failed))}, rebooted},
		"a step that is gone": {records{
			ended("a", steps(append(metal(), last)...), tried("reboot", failed), tried("last", failed)),
		}, rebooted},
		"a step that does something else now": {records{
			ended("a", steps(v1alpha1.RemediationStep{Name: "replace", Action: v1alpha1.ActionReboot}), tried("replace", failed)),
		}, nil},
		"steps that are gone, and a record before": {records{
			ended("b", steps(last), tried("last", failed)), ended("a", ago(2*time.Hour), tried("reboot", failed)),
		}, rebooted},
		"an attempt of no step": {records{ended("a", tried("gone", failed))}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, memory.StartAt(metal(), tt.records, incident(), week, now)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestRelapsed: only what was repaired can fall sick again.
func TestRelapsed(t *testing.T) {
	for name, tt := range map[string]struct {
		record *v1alpha1.MachineRemediation
		want   bool
	}{
		"repaired":                         {ended("a", tried("reboot", v1alpha1.ResultFailed)), true},
		"by a step that does nothing now":  {ended("a", steps(last), tried("last", v1alpha1.ResultFailed)), true},
		"longer ago than the window":       {ended("a", ago(week), tried("reboot", v1alpha1.ResultFailed)), false},
		"waited only":                      {ended("a", attempted("wait", v1alpha1.ResultFailed)), false},
		"never begun":                      {ended("a", asked("replace", v1alpha1.ResultNotBegun)), false},
		"handed over before anything":      {ended("a"), false},
		"repaired, but for another reason": {ended("a", reason("DiskUnhealthy"), tried("reboot", v1alpha1.ResultFailed)), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := memory.Relapsed(records{tt.record}, incident(), week, now); got != tt.want {
				t.Errorf("it is a relapse: %t, want %t", got, tt.want)
			}
		})
	}
}

// last is a step that repairs and that nothing follows.
var last = v1alpha1.RemediationStep{Name: "last", Action: v1alpha1.ActionReplace}

// TestUnknownUIDsAreNobodys: two machines of which nobody knows the host are not on the same one.
func TestUnknownUIDsAreNobodys(t *testing.T) {
	nobody := memory.Incident{Reason: "ReadyUnhealthy"}
	got := memory.StartAt(metal(), records{ended("a", machine(""), host(""), tried("reboot", v1alpha1.ResultFailed))}, nobody, week, now)
	if got != nil {
		t.Errorf("got %+v", got)
	}
}

func TestLater(t *testing.T) {
	a, b := at("reboot", "a"), at("reboot", "b")
	tests := map[string]struct{ a, b, want *v1alpha1.RemediationStart }{
		"none":                    {nil, nil, nil},
		"one":                     {a, nil, a},
		"the other":               {nil, b, b},
		"the same":                {a, b, a},
		"a later one":             {a, at("hold", ""), at("hold", "")},
		"an earlier one":          {a, at("wait", ""), a},
		"nothing left":            {at("hold", ""), at("", "tried"), at("", "tried")},
		"nothing left, first":     {at("", "tried"), at("hold", ""), at("", "tried")},
		"the first step, or none": {nil, at("wait", ""), at("wait", "")},
		"a step that is none":     {a, at("gone", ""), a},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, memory.Later(tt.a, tt.b, metal())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestTried(t *testing.T) {
	if memory.Tried(ended("a", tried("evidence", v1alpha1.ResultSucceeded), attempted("reboot", v1alpha1.ResultFailed))) {
		t.Error("evidence, or an attempt without an act, is taken for a repair")
	}
	if !memory.Tried(ended("a", tried("reboot", v1alpha1.ResultFailed), attempted("wait", v1alpha1.ResultFailed))) {
		t.Error("a reboot is not taken for a repair")
	}
}
