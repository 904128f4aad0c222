package history

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"

	"github.com/sickbay-dev/sickbay/internal/reboot/cycle"
	"github.com/sickbay-dev/sickbay/internal/reboot/quorum"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
)

// keepsOff is the annotation on a host by which a person keeps it off.
const keepsOff = metal3v1.RebootAnnotationPrefix + "/person"

// keepHosts returns the ways in which a person keeps hosts, one or the whole rack, and gives them back.
func (w *World) keepHosts() []option {
	var options []option
	hosts := w.hostsInUse()
	for _, host := range hosts {
		options = append(options, w.keepHost(host)...)
	}
	if len(hosts) == 0 {
		return nil
	}
	return append(options,
		option{"a person switches the whole rack off", func() { w.switchRack(false) }},
		option{"a person switches the whole rack on", func() { w.switchRack(true) }},
	)
}

func (w *World) keepHost(host *metal3v1.BareMetalHost) []option {
	name, iron := host.Name, w.iron[host.Name]
	options := []option{
		w.toggle(kinds.Host, host, keepsOff, ""),
		w.toggle(kinds.Host, host, metal3v1.PausedAnnotation, ""),
		w.toggle(kinds.Host, host, metal3v1.DetachedAnnotation, ""),
		{fmt.Sprintf("a person sets online of host %s to %t", name, !host.Spec.Online), func() { w.setOnline(name, !host.Spec.Online) }},
		{fmt.Sprintf("the BMC of host %s is lost: %t", name, !iron.Lost), func() { iron.Lost = !iron.Lost }},
	}
	for _, key := range slices.Sorted(maps.Keys(host.Annotations)) {
		if strings.HasPrefix(key, cycle.KeyPrefix) {
			options = append(options, option{"a person takes " + key + " off host " + name, func() { w.annotate(kinds.Host, name, map[string]string{key: gone}) }})
		}
	}
	return options
}

// hostsInUse returns the hosts of machines.
func (w *World) hostsInUse() []*metal3v1.BareMetalHost {
	var used []*metal3v1.BareMetalHost
	for _, host := range Every[*metal3v1.BareMetalHost](w, kinds.Host) {
		if host.Spec.ConsumerRef != nil {
			used = append(used, host)
		}
	}
	return used
}

func (w *World) switchRack(on bool) {
	for _, host := range w.hostsInUse() {
		w.setOnline(host.Name, on)
	}
}

func (w *World) setOnline(host string, online bool) {
	w.changeHost(host, func(h *metal3v1.BareMetalHost) { h.Spec.Online = online })
}

// giveHostsBack ends everything that people do to hosts, and permits a control plane to lose its quorum.
func (w *World) giveHostsBack() {
	if w.Spec.ControlPlane {
		w.annotate(kinds.Cluster, kinds.ClusterName, map[string]string{quorum.Permission: "true"})
	}
	w.askNoMore()
	for _, host := range w.hostsInUse() {
		w.iron[host.Name].Lost = false
		w.annotate(kinds.Host, host.Name, map[string]string{keepsOff: gone, metal3v1.PausedAnnotation: gone, metal3v1.DetachedAnnotation: gone})
		w.setOnline(host.Name, true)
	}
}
