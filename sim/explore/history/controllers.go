package history

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/sickbay-dev/sickbay/internal/intake"
	"github.com/sickbay-dev/sickbay/internal/machinehealth"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/repair/machinehealthcheck"
	"github.com/sickbay-dev/sickbay/internal/repair/remediation"
	"github.com/sickbay-dev/sickbay/internal/repair/slots"
	"github.com/sickbay-dev/sickbay/internal/workload"
	"github.com/sickbay-dev/sickbay/sim/explore/kinds"
)

// syncPeriod is so long that nothing can depend on it: whatever is due by itself must say so.
const syncPeriod = 240 * time.Hour

// grace is how long a healthy machine stays healthy while its Node cannot be read.
const grace = 5 * time.Minute

// addControllers creates the Reconcilers of a process, with an empty memory.
func (p *Process) addControllers() {
	parts := p.World.Plant.parts(p, Parts{Client: p.client, Live: p.client.Live(), Nodes: nodes{p: p}})
	clock, recorder, selectors := ownClock{p}, recorder{p}, &mhcspec.Selectors{}
	observer := &machinehealth.Observer{Nodes: parts.Nodes, Hosts: p.World.hosts(parts.Client, parts.Live), GracePeriod: grace}
	counts := slots.Reader{Cache: parts.Client, Live: parts.Live, Observer: observer, Selectors: selectors, Clock: clock}
	var gate remediation.Gatekeeper = &slots.Gatekeeper{Reader: counts}
	if parts.Gate != nil {
		gate = parts.Gate(gate)
	}
	p.Controllers = map[string]reconcile.Reconciler{
		machinehealth.ControllerName: &machinehealth.Reconciler{
			Client: parts.Client, Observer: observer, Selectors: selectors, Recorder: recorder, Clock: clock, SyncPeriod: syncPeriod,
		},
		machinehealthcheck.ControllerName: &machinehealthcheck.Reconciler{
			Reader: machinehealthcheck.Reader{Reader: counts, Parallel: 1}, Client: parts.Client, Recorder: recorder, SyncPeriod: syncPeriod,
		},
		remediation.ControllerName: &remediation.Reconciler{
			Reader: remediation.Reader{Reader: counts, Gatekeeper: gate, Parallel: 1}, Client: parts.Client, Recorder: recorder, SyncPeriod: syncPeriod,
		},
		intake.ControllerName: &intake.Reconciler{Kind: intake.ClusterAPIKind, Client: parts.Client, Live: parts.Live, Recorder: recorder, Clock: clock},
		reboot.ControllerName: &reboot.Reconciler{
			Kind: reboot.ClusterAPIKind, Client: parts.Client, Live: parts.Live, Mapper: mapper, Workload: nodes{p: p, client: parts.Client},
			Recorder: recorder, Clock: clock, SyncPeriod: syncPeriod,
		},
	}
	p.addPausers(parts)
}

// mapper knows the kinds of the infrastructure machines and the control planes.
var mapper = newMapper()

func newMapper() meta.RESTMapper {
	m := meta.NewDefaultRESTMapper([]schema.GroupVersion{kinds.Infrastructure.GroupVersion(), kinds.ControlPlane.GroupVersion()})
	m.Add(kinds.Infrastructure, meta.RESTScopeNamespace)
	m.Add(kinds.ControlPlane, meta.RESTScopeNamespace)
	return m
}

// hosts reads the bare-metal hosts; nil if the world has none.
func (w *World) hosts(cached, live client.Reader) *machinehealth.Hosts {
	if !w.Spec.Metal() {
		return nil
	}
	hosts := &machinehealth.Hosts{Client: cached, Live: live}
	w.must(hosts.Appeared(w.Ctx, &indexer{}))
	return hosts
}

// indexer collects indexes.
type indexer struct{ indexes []mhcspec.Index }

// IndexField implements client.FieldIndexer.
func (i *indexer) IndexField(_ context.Context, obj client.Object, field string, extract client.IndexerFunc) error {
	i.indexes = append(i.indexes, mhcspec.Index{Object: obj, Field: field, Extract: extract})
	return nil
}

func indexesOfHosts() []mhcspec.Index {
	collected := &indexer{}
	if err := (&machinehealth.Hosts{}).Appeared(context.Background(), collected); err != nil {
		panic(err) // the collector never fails
	}
	return collected.indexes
}

// Parts are the dependencies of a process's Reconcilers. A planted bug changes them.
type Parts struct {
	Client client.Client
	Live   client.Reader
	Nodes  workload.Nodes
	// Gate changes the gate; nil leaves it as it is.
	Gate func(remediation.Gatekeeper) remediation.Gatekeeper
}

// recorder adds events to the story of a run.
type recorder struct{ p *Process }

// Eventf implements events.EventRecorder.
func (r recorder) Eventf(_, _ runtime.Object, _, reason, _, note string, args ...any) {
	r.p.World.say("      event %s: "+note, append([]any{reason}, args...)...)
}
