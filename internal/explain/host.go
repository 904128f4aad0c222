package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
)

// Host is a BareMetalHost.
type Host struct {
	Host *metal3v1.BareMetalHost
	// Machine is the machine that runs on it; nil if none is known.
	Machine *Machine
	// Cycles are its power cycles.
	Cycles []*v1alpha1.RebootRemediation
	// Problem says why the power cycles are unknown; empty if they are known.
	Problem string
}

func (f *Facts) ofHost(name string) []Page {
	if pages := pagesOf(f.Hosts, f.HostPage, name, func(h *Host) string { return h.Host.Name }); len(pages) > 0 {
		return pages
	}
	return f.goneHosts(name)
}

// HostPage explains a BareMetalHost: which machine runs on it, who keeps it off, and what was repaired on it.
func (f *Facts) HostPage(h *Host) Page {
	p := Page{APIVersion: APIVersion, Kind: "BareMetalHost", Namespace: h.Host.Namespace, Name: h.Host.Name, At: f.Now, Headline: h.headline(f.Now)}
	past := f.onHost(func(r *Record) bool { return r.Record.Spec.HostRef.UID == h.Host.UID })
	if h.Machine != nil {
		p.Cluster, p.Next = h.Machine.Machine.Spec.ClusterName, h.Machine.upcomingOf(f)
		p.row("Machine", h.Machine.Machine.Name+" of cluster "+p.Cluster+": "+h.Machine.headline(h.Machine.State(f.Now), f.Now))
	} else if len(past) > 0 {
		p.Cluster = past[0].Record.Spec.ClusterName
	}
	p.row("Error", h.failure())
	if used := h.Machine != nil || h.Host.Spec.ConsumerRef != nil; used && !h.Host.Spec.Online {
		p.row("Off by", "a person or another system, until they set spec.online: true")
	}
	for _, key := range slices.Sorted(maps.Keys(h.Host.Annotations)) {
		p.row("Off by", h.keptOffBy(key, f.Now))
	}
	p.row("Left alone", h.leftAlone())
	for _, c := range h.Cycles {
		p.row("Cycle", cycleWords(c))
	}
	p.row("Unclear", humanize.Upper(h.Problem))
	p.row("History", repairs(past, f.Now))
	f.tellNext(&p)
	return p
}

// goneHosts explains hosts that are gone or cannot be read, by their records.
func (f *Facts) goneHosts(name string) []Page {
	byNamespace := map[string][]*Record{}
	for _, r := range f.onHost(func(r *Record) bool { return r.Record.Spec.HostRef.Name == name }) {
		byNamespace[r.Record.Namespace] = append(byNamespace[r.Record.Namespace], r)
	}
	var pages []Page
	for _, namespace := range slices.Sorted(maps.Keys(byNamespace)) {
		past := byNamespace[namespace]
		p := Page{
			APIVersion: APIVersion, Kind: "BareMetalHost", Namespace: namespace, Name: name, Cluster: past[0].Record.Spec.ClusterName, At: f.Now,
			State: StateGone, Headline: "GONE, or you may not read it",
		}
		p.row("Machine", "the last was "+past[0].Record.Spec.MachineRef.Name+" of cluster "+p.Cluster)
		p.row("History", repairs(past, f.Now))
		pages = append(pages, p)
	}
	return pages
}

// onHost returns the records of a host, latest first.
func (f *Facts) onHost(is func(*Record) bool) []*Record {
	var all []*Record
	for _, r := range f.Records {
		if r.Record.Spec.HostRef != nil && is(r) {
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b *Record) int { return b.Record.CreationTimestamp.Compare(a.Record.CreationTimestamp.Time) })
	return all
}

func (h *Host) headline(now time.Time) string {
	power, runs := "OFF", ", belongs to "
	if h.Host.Status.PoweredOn {
		power, runs = "ON", ", runs "
	}
	switch {
	case h.Host.DeletionTimestamp != nil:
		return "BEING DELETED for " + ago(h.Host.DeletionTimestamp.Time, now)
	case h.Machine != nil:
		return power + runs + h.Machine.Machine.Name
	case h.Host.Spec.ConsumerRef != nil:
		return power + ", used by " + h.Host.Spec.ConsumerRef.Kind + " " + h.Host.Spec.ConsumerRef.Name + ", whose Machine is unknown"
	}
	return power + ", used by nobody"
}

// failure returns the error of the host in its operator's words.
func (h *Host) failure() string {
	status := &h.Host.Status
	if status.ErrorType == "" && status.OperationalStatus != metal3v1.OperationalStatusError {
		return ""
	}
	return strings.TrimRight(cmp.Or(string(status.ErrorType), "error")+": "+status.ErrorMessage, ": ")
}

// keptOffBy says who keeps the host off with an annotation; empty if the annotation does not keep it off.
func (h *Host) keptOffBy(annotation string, now time.Time) string {
	if annotation == cycle.ProbeKey {
		return "somebody who requested a single reboot (annotation " + annotation + "); it comes on again afterwards"
	}
	if !strings.HasPrefix(annotation, metal3v1.RebootAnnotationPrefix+"/") {
		return ""
	}
	for _, c := range h.Cycles {
		if annotation == cycle.KeyOf(c.UID) {
			text := "Sickbay, for RebootRemediation " + c.Name
			if since := c.Status.KeySince; since != nil {
				text += ", since " + Clock(since.Time, now)
			}
			return text
		}
	}
	if uid, ours := strings.CutPrefix(annotation, cycle.KeyPrefix); ours {
		return "Sickbay, for an unknown RebootRemediation (UID " + uid + ")"
	}
	return "a person or another system, until they remove the annotation " + annotation
}

// leftAlone says why the host's operator leaves it alone; empty if it does not.
func (h *Host) leftAlone() string {
	for _, key := range []string{metal3v1.PausedAnnotation, metal3v1.DetachedAnnotation} {
		if _, is := h.Host.Annotations[key]; is {
			return "by its operator (annotation " + key + "), so its status may be out of date"
		}
	}
	return ""
}

// cycleWords sums up a power cycle.
func cycleWords(c *v1alpha1.RebootRemediation) string {
	text := c.Name + ", " + cmp.Or(string(c.Status.Phase), "not begun")
	if by := c.Spec.RequestedBy; by.ForRecord() {
		text += ", requested by MachineRemediation " + by.Name
	}
	if done := meta.FindStatusCondition(c.Status.Conditions, v1alpha1.ConditionSucceeded); done != nil && done.Message != "" {
		text += ": " + done.Message
	}
	return text
}

// repairs sums up records, latest first; empty if there are none.
func repairs(all []*Record, now time.Time) string {
	if len(all) == 0 {
		return ""
	}
	var parts []string
	for _, r := range all[:min(len(all), maxNames)] {
		part := Clock(r.Record.CreationTimestamp.Time, now) + " " + r.Record.Spec.MachineRef.Name + ": "
		if ladder.Ended(r.Record) {
			parts = append(parts, part+r.outcome())
			continue
		}
		parts = append(parts, part+string(r.Record.Status.Phase))
	}
	text := fmt.Sprintf("%s on record: %s", Count(len(all), "repair"), strings.Join(parts, "; "))
	if len(all) > maxNames {
		text += "; and earlier ones"
	}
	return text
}
