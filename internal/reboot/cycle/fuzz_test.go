package cycle

import (
	"testing"
	"time"

	metal3v1 "github.com/metal3-io/baremetal-operator/apis/metal3.io/v1alpha1"
	"k8s.io/apimachinery/pkg/types"
)

// FuzzKey: any value that others put into an annotation of a host can be read, and what Sickbay writes is read back
// unchanged.
func FuzzKey(f *testing.F) {
	f.Add("", "uid", int64(0))
	f.Add(`{"mode":"hard","request":"uid","askedAt":"2026-11-23T00:00:00Z"}`, "uid", int64(1_800_000_000))
	f.Add(`{"request":7}`, "\xff", int64(-1))
	f.Add(`[]`, "", int64(1<<40))
	f.Add("null", "a/b", int64(253402300799))
	f.Fuzz(func(t *testing.T, value, request string, at int64) {
		for _, key := range []string{KeyOf(types.UID(request)), ProbeKey, metal3v1.RebootAnnotationPrefix, metal3v1.DetachedAnnotation} {
			host := &metal3v1.BareMetalHost{}
			host.Annotations = map[string]string{key: value}
			HostFactsOf(host, types.UID(request), Consumer{})
		}
		asked := time.Unix(at, 0).UTC()
		if year := asked.Year(); year < 1 || year > 9999 {
			return
		}
		stored, err := KeyValue(types.UID(request), asked)
		if got := contentOfKey(stored); err != nil || !got.ProbedAt.Time.Equal(asked) {
			t.Errorf("%s is read as asked at %s (%v)", stored, got.ProbedAt, err)
		}
	})
}
