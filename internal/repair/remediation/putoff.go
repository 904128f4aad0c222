package remediation

import (
	"context"
	"errors"
	"sync"

	"k8s.io/client-go/util/workqueue"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/repair/ladder"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
)

// errPutOff says that a machine was marked, and that its record says so later: in a storm, the marks of others go first.
var errPutOff = errors.New("others are marked first")

// putOff is a status that was decided after a mark and is not stored yet. A restart forgets it, and the next look shows the same, unless the machine is
// gone by then.
type putOff struct {
	version  string
	view     *view
	decision ladder.Decision
}

// putOffs remembers, for each record, what is put off. The zero value is ready to use.
type putOffs struct{ of sync.Map }

func (p *putOffs) keep(record *v1alpha1.MachineRemediation, v *view, decision ladder.Decision) {
	p.of.Store(client.ObjectKeyFromObject(record), putOff{record.ResourceVersion, v, decision})
}

func (p *putOffs) has(record *v1alpha1.MachineRemediation) bool {
	_, ok := p.of.Load(client.ObjectKeyFromObject(record))
	return ok
}

// storePutOff stores what was put off, however late, unless the record has changed since: the machine may be gone by then, and nothing else would know
// that it was marked. What has happened meanwhile, the look that follows shows.
func (r *Reconciler) storePutOff(ctx context.Context, record *v1alpha1.MachineRemediation) error {
	kept, ok := r.putOff.of.LoadAndDelete(client.ObjectKeyFromObject(record))
	if !ok {
		return nil
	}
	p := kept.(putOff)
	if p.version != record.ResourceVersion {
		return nil
	}
	return r.store(ctx, record, p.view, p.decision)
}

// queue is the queue of the controller, to ask who waits in it; the zero value has nobody waiting.
type queue struct {
	workqueue.TypedRateLimitingInterface[ctrl.Request]
}

// keep returns a constructor that remembers the queue it makes.
func (q *queue) keep(make scaffold.Queue) scaffold.Queue {
	return func(name string, limiter workqueue.TypedRateLimiter[ctrl.Request]) workqueue.TypedRateLimitingInterface[ctrl.Request] {
		q.TypedRateLimitingInterface = make(name, limiter)
		return q.TypedRateLimitingInterface
	}
}

func (q *queue) othersWait() bool { return q.TypedRateLimitingInterface != nil && q.Len() > 0 }
