package reboot

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
)

// FuzzHostName: whatever an annotation says, it names either a host in its own namespace, with a name that a
// client accepts, or none.
func FuzzHostName(f *testing.F) {
	for _, value := range []string{"", "/", "ns/", "/h", "ns/h", "other/h", "ns/h/status", "ns/..", "ns/H", "ns/h.example.com", "ns/%2e", "ns/h\n", "\xff/\x00"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		obj := &metav1.ObjectMeta{Namespace: "ns", Annotations: map[string]string{HostAnnotation: value}}
		name := HostName(obj)
		if name == "" {
			return
		}
		if value != "ns/"+name || len(validation.IsDNS1123Subdomain(name)) > 0 {
			t.Errorf("%q names %q", value, name)
		}
	})
}
