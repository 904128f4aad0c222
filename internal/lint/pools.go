package lint

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"

	"github.com/sickbay-dev/sickbay/internal/humanize"
	"github.com/sickbay-dev/sickbay/internal/manifest"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

// pool are machines that an object of the files makes.
type pool struct {
	// group is the API group of the machines.
	group   string
	machine clusterv1.Machine
	// n is how many there are; negative if something else decides that.
	n int
}

// ofFiles is where the machines are that objects of the files make.
const ofFiles = " in these files"

// mostOfAPool limits how many machines of a pool are counted.
const mostOfAPool = 10_000

// size are the machines of a check, as far as they are known.
type size struct {
	machines []*clusterv1.Machine
	// where says which these are, if they are not those of the fleet.
	where string
}

// count says how many machines there are, and where if that is not the fleet.
func (s size) count(inFleet string) string {
	return humanize.Count(len(s.machines), "Machine", "Machines") + cmp.Or(s.where, inFleet)
}

// sized returns the machines of a check: those of the fleet or, if it has none, those that objects of the files make.
func (l *linter) sized(c *check) size {
	if c.embedded {
		return size{}
	}
	if selected, ok := l.selected(c); ok && len(selected) > 0 {
		return size{machines: selected}
	}
	made := size{where: ofFiles}
	for i := range l.pools {
		one := &l.pools[i]
		if one.group != c.obj.Kind().Group || !l.picks(c, &one.machine) {
			continue
		}
		if one.n < 0 {
			return size{}
		}
		for range one.n {
			made.machines = append(made.machines, &one.machine)
		}
	}
	return made
}

// picks reports whether a check selects a machine of the files.
func (l *linter) picks(c *check, machine *clusterv1.Machine) bool {
	if c.mhc.Namespace != "" && machine.Namespace != "" && c.mhc.Namespace != machine.Namespace {
		return false
	}
	if !c.foreign {
		there := machine.DeepCopy()
		there.Namespace = c.mhc.Namespace
		return (&mhcspec.Selectors{}).Matches(&c.mhc, there)
	}
	selector, err := metav1.LabelSelectorAsSelector(&c.mhc.Spec.Selector)
	return err == nil && selector.Matches(labels.Set(machine.Labels))
}

// findPools reads which machines the objects of the files make.
func (l *linter) findPools(documents []*manifest.Document) {
	planes := map[string]string{}
	var all []manifest.Object
	for _, document := range documents {
		for _, obj := range document.Objects {
			all = append(all, obj)
			if obj.Kind().Kind == "Cluster" && obj.Kind().Group == clusterv1.GroupVersion.Group {
				name, _ := fields(fields(obj.Value["spec"])["controlPlaneRef"])["name"].(string)
				planes[name] = obj.Name()
				l.topologies(obj)
			}
		}
	}
	for _, obj := range all {
		l.poolOf(obj, planes)
	}
}

// poolOf adds the machines that an object makes; planes are the Clusters by the names of their control planes.
func (l *linter) poolOf(obj manifest.Object, planes map[string]string) {
	spec := fields(obj.Value["spec"])
	n := replicas(spec["replicas"], fields(fields(obj.Value["metadata"])["annotations"]))
	cluster, _ := spec["clusterName"].(string)
	given := metadataOf(spec["template"])
	switch kind := obj.Kind().GroupKind(); {
	case kind == clusterv1.GroupVersion.WithKind("MachineDeployment").GroupKind():
		l.pool(obj, cluster, n, given, map[string]string{clusterv1.MachineDeploymentNameLabel: obj.Name(), clusterv1.MachineSetNameLabel: "*"})
	case kind == clusterv1.GroupVersion.WithKind("MachineSet").GroupKind():
		l.pool(obj, cluster, n, given, map[string]string{clusterv1.MachineSetNameLabel: obj.Name()})
	case kind.Group == "machine.openshift.io" && kind.Kind == "MachineSet":
		l.pool(obj, "", n, given, nil)
	case kind.Group == "controlplane.cluster.x-k8s.io" && strings.HasSuffix(kind.Kind, "ControlPlane"):
		l.pool(obj, planes[obj.Name()], n, metadataOf(spec["machineTemplate"]),
			map[string]string{clusterv1.MachineControlPlaneLabel: "", clusterv1.MachineControlPlaneNameLabel: obj.Name()})
	}
}

// metadataOf returns the labels of a template.
func metadataOf(template any) map[string]any {
	return fields(fields(fields(template)["metadata"])["labels"])
}

// autoscaled are the annotations of pools whose size the autoscaler decides.
var autoscaled = []string{clusterv1.AutoscalerMinSizeAnnotation, clusterv1.AutoscalerMaxSizeAnnotation,
	"machine.openshift.io/cluster-api-autoscaler-node-group-min-size", "machine.openshift.io/cluster-api-autoscaler-node-group-max-size"}

// pool adds the machines that an object makes.
func (l *linter) pool(obj manifest.Object, cluster string, n int, given map[string]any, own map[string]string) {
	p := pool{group: obj.Kind().Group, n: n}
	if strings.HasPrefix(p.group, "controlplane.") {
		p.group = clusterv1.GroupVersion.Group
	}
	p.machine.Namespace, p.machine.Name, p.machine.Spec.ClusterName = obj.Namespace(), obj.Name(), cluster
	p.machine.Labels = map[string]string{}
	for key, value := range given {
		p.machine.Labels[key] = fmt.Sprint(value)
	}
	maps.Copy(p.machine.Labels, own)
	if cluster != "" {
		p.machine.Labels[clusterv1.ClusterNameLabel] = cluster
	}
	l.pools = append(l.pools, p)
	// It was not skipped: its machines count.
	l.skipped = slices.DeleteFunc(l.skipped, func(one manifest.Object) bool { return one.Node == obj.Node })
}
