package golden

import (
	"slices"

	"github.com/google/go-cmp/cmp"
	metal3api "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	plain = metal3api.RebootAnnotationPrefix
	keyA  = plain + "/a"
	keyB  = plain + "/b"

	hard = `{"mode":"hard"}`
)

// cases are what the real operator and the simulated one have in common.
var cases = []struct {
	name string
	play func(*bench)
}{
	{"a key with suffix switches off and holds off", func(b *bench) {
		b.off(keyA)
		b.staysOff()
		if got := b.get().Annotations[keyA]; got != hard {
			b.Errorf("the key is %q, want it untouched", got)
		}
		b.drop(keyA)
		b.turns(true)
	}},
	{"the plain key is dropped from a host that is held off", func(b *bench) {
		b.off(keyA)
		b.annotate(plain, hard)
		b.g.Eventually(func() bool { return b.has(plain) }).WithTimeout(patience).Should(BeFalse())
		b.staysOff()
		if !b.has(keyA) {
			b.Error("the key with suffix was dropped too")
		}
	}},
	{"of two keys each holds off", func(b *bench) {
		b.off(keyA)
		b.annotate(keyB, `{"mode":"hard","machine":"0d9b0c4a"}`)
		b.drop(keyA)
		b.staysOff()
		b.drop(keyB)
		b.turns(true)
	}},
	{"the plain key goes before the power comes back", func(b *bench) {
		b.running()
		film := b.film()
		b.annotate(plain, "")
		film.until(func(h *metal3api.BareMetalHost) bool { return !h.Status.PoweredOn })
		film.until(func(h *metal3api.BareMetalHost) bool { return h.Status.PoweredOn })
		want := []scene{{true, false}, {true, true}, {false, true}, {false, false}, {true, false}}
		if diff := cmp.Diff(want, film.scenes()); diff != "" {
			b.Errorf("course of a reboot (-want +got):\n%s", diff)
		}
		b.truly(true)
	}},
	{"of both keys the one with suffix holds off", func(b *bench) {
		b.running()
		b.annotateAll(map[string]string{plain: "", keyA: hard})
		b.turns(false)
		b.staysOff()
		b.drop(keyA)
		b.turns(true)
	}},
	{"any suffix means off, also PowerOn", func(b *bench) {
		b.off(plain + "/PowerOn")
		b.staysOff()
		b.drop(plain + "/PowerOn")
		b.turns(true)
	}},
	{"a value that cannot be read counts", func(b *bench) {
		b.running()
		b.annotate(keyA, "not json")
		b.turns(false)
		b.staysOff()
		b.drop(keyA)
		b.turns(true)
	}},
	{"a host that is not to be on stays off without the key", func(b *bench) {
		b.off(keyA)
		b.online(false)
		b.drop(keyA)
		b.staysOff()
		b.online(true)
		b.turns(true)
	}},
	{"a key is not seen on a paused host that is on", func(b *bench) {
		b.running()
		b.annotate(metal3api.PausedAnnotation, "")
		b.annotate(keyA, hard)
		b.nothingHappens(true)
		b.drop(metal3api.PausedAnnotation)
		b.turns(false)
	}},
	{"a paused host that is off stays off without the key", func(b *bench) {
		b.off(keyA)
		b.annotate(metal3api.PausedAnnotation, "")
		b.drop(keyA)
		b.nothingHappens(false)
		b.drop(metal3api.PausedAnnotation)
		b.turns(true)
	}},
	{"a key is not seen on a detached host", func(b *bench) {
		b.running()
		b.detach()
		b.annotate(keyA, hard)
		b.nothingHappens(true)
		b.drop(metal3api.DetachedAnnotation)
		b.turns(false)
	}},
	{"a new host loses the keys of others", func(b *bench) {
		film := b.film()
		b.create(false, map[string]string{keyA: hard})
		film.until(func(h *metal3api.BareMetalHost) bool { return h.Status.Provisioning.State == metal3api.StateAvailable })
		first := slices.IndexFunc(film.seen, func(h metal3api.BareMetalHost) bool { return h.Annotations[keyA] == "" })
		if first == -1 || film.seen[first].Status.Provisioning.State != metal3api.StateInspecting {
			b.Errorf("the key was not dropped during inspection: first version without it is %d of %d", first, len(film.seen))
		}
	}},
	{"without an operator a new key looks obeyed", func(b *bench) {
		b.off(keyA)
		b.staysOff()
		b.operator.Stop(b)
		b.drop(keyA)
		b.annotate(keyB, hard)
		b.nothingHappens(false)
		b.operator.Start(b)
		b.staysOff()
		b.drop(keyB)
		b.turns(true)
	}},
	{"a host that is only available goes by keys with force alone", func(b *bench) {
		b.create(false, nil)
		b.reaches(metal3api.StateAvailable)
		b.turns(true)
		b.annotate(keyA, hard)
		b.nothingHappens(true)
		b.annotate(keyB, `{"force":true}`)
		b.turns(false)
		b.staysOff()
		b.drop(keyB)
		b.turns(true)
	}},
	{"provisioning and deprovisioning drop the keys of others", func(b *bench) {
		b.create(false, nil)
		b.reaches(metal3api.StateAvailable)
		b.moves(metal3api.StateProvisioned, &metal3api.Image{URL: "http://192.0.2.2/image", Checksum: "none"})
		b.turns(true)
		b.moves(metal3api.StateAvailable, nil)
	}},
	{"conditions tell a detached host from a good one", func(b *bench) {
		b.running()
		b.conditions(metav1.ConditionTrue, metal3api.ProvisionedReason)
		b.detach()
		b.conditions(metav1.ConditionFalse, metal3api.DetachedReason)
	}},
	{"a deleted host is switched off first", func(b *bench) {
		b.running()
		film := b.film()
		b.delete()
		film.until(func(*metal3api.BareMetalHost) bool { return false })
		if last := film.seen[len(film.seen)-1]; last.Status.PoweredOn {
			b.Error("the host went while its status said on")
		}
		b.truly(false)
	}},
	{"a host that is deleted while detached keeps running", func(b *bench) {
		b.running()
		b.detach()
		film := b.film()
		b.delete()
		film.until(func(*metal3api.BareMetalHost) bool { return false })
		if last := film.seen[len(film.seen)-1]; !last.Status.PoweredOn {
			b.Error("the host was switched off")
		}
		b.truly(true)
	}},
}
