package cycle_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/reboot"
	"github.com/sickbay-dev/sickbay/internal/scaffold"
	"github.com/sickbay-dev/sickbay/internal/testing/env"
)

// journal records in which namespaces something changed, so that tests need not poll.
type journal struct {
	mu      sync.Mutex
	readers int
	end     func()

	pages sync.Map // of *page, by namespace
}

// allNews is the one journal that all tests share.
var allNews = &journal{}

// page is the part of the journal about one namespace.
type page struct {
	mu      sync.Mutex
	entries int
	// news is closed with the next entry.
	news chan struct{}
}

var watched = []schema.GroupVersionKind{
	reboot.ClusterAPIKind, reboot.OpenShiftKind, metal3MachineKind,
	v1alpha1.GroupVersion.WithKind("RebootRemediation"), metal3v1.GroupVersion.WithKind("BareMetalHost"),
	corev1.SchemeGroupVersion.WithKind("Node"),
}

// open keeps the journal until a test is over, and returns the page of a namespace. The journal runs only while
// somebody reads it, because an API server that stops waits for its watches.
func (j *journal) open(t testing.TB, e *env.Env, namespace string) *page {
	t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.readers++; j.readers == 1 {
		if err := j.begin(e); err != nil {
			t.Errorf("beginning the journal: %v", err)
		}
	}
	t.Cleanup(func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.readers--; j.readers == 0 {
			j.end()
		}
	})
	return j.of(namespace)
}

// begin watches everything. The caller holds j.mu, and calls j.end later.
func (j *journal) begin(e *env.Env) error {
	ctx, cancel := context.WithCancel(context.Background())
	j.end = cancel
	informers, err := cache.New(e.Config, cache.Options{Scheme: e.Scheme})
	if err != nil {
		return fmt.Errorf("making watches: %w", err)
	}
	stopped := make(chan struct{})
	j.end = func() {
		cancel()
		<-stopped
	}
	go func() {
		defer close(stopped)
		_ = informers.Start(ctx)
	}()
	for _, kind := range watched {
		obj := scaffold.MetadataOf(kind)
		informer, err := informers.GetInformer(ctx, obj)
		if err != nil {
			return fmt.Errorf("watching %s: %w", kind.Kind, err)
		}
		if _, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
			AddFunc: j.note, UpdateFunc: func(_, obj any) { j.note(obj) }, DeleteFunc: j.note,
		}); err != nil {
			return fmt.Errorf("watching %s: %w", kind.Kind, err)
		}
	}
	return nil
}

// note records that something happened to an object.
func (j *journal) note(obj any) {
	if gone, ok := obj.(toolscache.DeletedFinalStateUnknown); ok {
		obj = gone.Obj
	}
	if o, ok := obj.(client.Object); ok {
		j.of(namespaceOf(o)).write()
	}
}

// namespaceOf returns the namespace that an object belongs to. A Node has it in its name.
func namespaceOf(o client.Object) string {
	if o.GetNamespace() != "" {
		return o.GetNamespace()
	}
	return o.GetName()[:max(strings.LastIndex(o.GetName(), "-"), 0)]
}

// of returns the page of a namespace.
func (j *journal) of(namespace string) *page {
	p, _ := j.pages.LoadOrStore(namespace, &page{news: make(chan struct{})})
	return p.(*page)
}

func (p *page) write() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.entries++
	close(p.news)
	p.news = make(chan struct{})
}

func (p *page) read() (entries int, news <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.entries, p.news
}

// wait returns once there are more than that many entries, or after atMost.
func (p *page) wait(entries int, atMost time.Duration) {
	now, news := p.read()
	if now > entries {
		return
	}
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-news:
	case <-timer.C:
	}
}
