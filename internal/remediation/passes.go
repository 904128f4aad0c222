package remediation

import (
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// passPause is how much later a pass over the history of a cluster follows on what it is for, so that there is one for all
// records that end together.
const passPause = time.Minute

// passes remembers when the next pass over the history of a cluster is due. It only delays.
type passes struct {
	mu  sync.Mutex
	due map[client.ObjectKey]time.Time
}

// ask reports whether a pass is due now. If one is wanted and none is planned, it plans one, and returns after how long.
func (p *passes) ask(cluster client.ObjectKey, wanted bool, now time.Time) (run bool, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	at, planned := p.due[cluster]
	switch {
	case planned && !now.Before(at):
		delete(p.due, cluster)
		return true, 0
	case planned || !wanted:
		return false, 0
	}
	p.set(cluster, now.Add(passPause))
	return false, passPause
}

// plan plans a pass for a time.
func (p *passes) plan(cluster client.ObjectKey, at time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.set(cluster, at)
}

func (p *passes) set(cluster client.ObjectKey, at time.Time) {
	if p.due == nil {
		p.due = map[client.ObjectKey]time.Time{}
	}
	p.due[cluster] = at
}
