package golden

import (
	"context"
	"slices"

	metal3api "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// film records every version of a host from its start.
type film struct {
	*bench
	watch watch.Interface
	seen  []metal3api.BareMetalHost
	gone  bool
}

// film starts a film with the current version.
func (b *bench) film() *film {
	b.Helper()
	w, err := b.client.Watch(b.ctx, &metal3api.BareMetalHostList{}, client.InNamespace(b.key.Namespace))
	if err != nil {
		b.Fatalf("watching the host: %v", err)
	}
	b.Cleanup(w.Stop)
	return &film{bench: b, watch: w}
}

// until records until a version is as wanted, or the host is gone.
func (f *film) until(wanted func(*metal3api.BareMetalHost) bool) {
	f.Helper()
	ctx, cancel := context.WithTimeout(f.ctx, patience)
	defer cancel()
	for {
		select {
		case <-ctx.Done():
			f.Fatalf("the host did not become what was expected; seen: %v", f.scenes())
		case e := <-f.watch.ResultChan():
			host, ok := e.Object.(*metal3api.BareMetalHost)
			if !ok {
				f.Fatalf("watching the host: %v", e)
			}
			if f.gone = e.Type == watch.Deleted; f.gone {
				return
			}
			f.seen = append(f.seen, *host)
			if wanted(host) {
				return
			}
		}
	}
}

// scene is what a client can see of a reboot.
type scene struct {
	On, Plain bool
}

// scenes returns the visible changes, without repetitions.
func (f *film) scenes() []scene {
	var scenes []scene
	for _, host := range f.seen {
		_, key := host.Annotations[plain]
		scenes = append(scenes, scene{On: host.Status.PoweredOn, Plain: key})
	}
	return slices.Compact(scenes)
}
