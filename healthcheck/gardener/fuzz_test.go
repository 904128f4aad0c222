package gardener

import (
	"context"
	"testing"

	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// onlyCluster is an API server with one Cluster.
type onlyCluster struct {
	client.Reader
	cluster *extensionsv1alpha1.Cluster
}

func (o onlyCluster) Get(_ context.Context, _ client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	o.cluster.DeepCopyInto(obj.(*extensionsv1alpha1.Cluster))
	return nil
}

// FuzzCluster: for any content of shoot, seed and cloud profile in a Cluster, a check gets that content, or an error that it cannot be read. What
// a pre-check sees agrees with whether the shoot is hibernated.
func FuzzCluster(f *testing.F) {
	for _, seed := range []string{
		"", "null", "{}", "[]", `"shoot"`, "{", `{"spec":null}`, `{"spec":{"hibernation":{"enabled":true}}}`, `{"spec":{"hibernation":{"enabled":"true"}}}`,
		`{"spec":{"hibernation":{"enabled":null}}}`, `{"spec":{"hibernation":{}},"metadata":{"creationTimestamp":"never"}}`, `{"Spec":{"Hibernation":{"Enabled":true}}}`,
		`{"spec":{"hibernation":{"enabled":true},"hibernation":{"enabled":false}}}`, `{"spec":{"provider":{"workers":[{"minimum":1e99}]}}}`, "{}{}", "\x00",
	} {
		f.Add([]byte(seed), []byte(`{"spec":{"type":"local"}}`))
		f.Add([]byte(`{"spec":{"hibernation":{"enabled":true}}}`), []byte(seed))
	}
	f.Fuzz(func(t *testing.T, shoot, profile []byte) {
		cluster := &extensionsv1alpha1.Cluster{ObjectMeta: metav1.ObjectMeta{Name: "c"}}
		cluster.Spec.Shoot.Raw, cluster.Spec.CloudProfile.Raw = shoot, profile
		undecoded, decoded := &parent{}, &parent{}
		reader := onlyCluster{cluster: cluster}
		plain, whole := parents{reader: reader}.cluster(t.Context(), "c", undecoded), parents{reader: reader, decoded: true}.cluster(t.Context(), "c", decoded)
		if plain != nil && whole == nil {
			t.Errorf("the whole shoot can be read, and a part of it cannot: %v", plain)
		}
		if whole != nil {
			return
		}
		seen := decoded.preCheck.(*Cluster).Shoot
		hibernated := seen != nil && seen.Spec.Hibernation != nil && seen.Spec.Hibernation.Enabled != nil && *seen.Spec.Hibernation.Enabled
		if decoded.hibernated != hibernated || undecoded.hibernated != hibernated {
			t.Errorf("hibernated is %t and %t, and pre-checks see %t", undecoded.hibernated, decoded.hibernated, hibernated)
		}
	})
}
