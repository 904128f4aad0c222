package gardener

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	gardencorev1beta1 "github.com/gardener/gardener/pkg/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	operatorv1alpha1 "github.com/gardener/gardener/pkg/apis/operator/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Cluster is the shoot of an extension object, with the objects that belong to it. It
// corresponds to the type of that name in Gardener's pkg/extensions.
type Cluster struct {
	ObjectMeta   metav1.ObjectMeta
	CloudProfile *gardencorev1beta1.CloudProfile
	Seed         *gardencorev1beta1.Seed
	Shoot        *gardencorev1beta1.Shoot
}

// parent is the parent of an extension object, as checks get it. It includes the error of
// reading it, because not all checks depend on it.
type parent struct {
	client.Object

	hibernated bool
	// preCheck is passed to pre-checks: *Cluster, *operatorv1alpha1.Garden, or nil.
	preCheck any
	err      error
}

// parents finds the parent of each object by its class.
type parents struct {
	reader client.Reader
	// decoded says that a check uses the content of the parent.
	decoded bool
}

// of never returns an error: the parent contains it.
func (p parents) of(ctx context.Context, obj client.Object) (client.Object, error) {
	found := &parent{}
	extension, err := accessor(obj)
	if err != nil {
		found.err = err
		return found, nil
	}
	switch classOf(extension) {
	case extensionsv1alpha1.ExtensionClassShoot:
		found.err = p.cluster(ctx, obj.GetNamespace(), found)
	case extensionsv1alpha1.ExtensionClassGarden:
		if p.decoded {
			found.err = p.garden(ctx, found)
		}
	default:
	}
	return found, nil
}

func (p parents) cluster(ctx context.Context, name string, found *parent) error {
	cluster := &extensionsv1alpha1.Cluster{}
	if err := p.reader.Get(ctx, client.ObjectKey{Name: name}, cluster); err != nil {
		return err
	}
	found.Object = cluster
	// A cloud profile is large, so decode it only if a check uses it.
	if p.decoded {
		decoded, err := decode(cluster)
		found.preCheck = decoded
		if err != nil {
			return err
		}
	}
	var shoot struct {
		Spec struct {
			Hibernation *gardencorev1beta1.Hibernation `json:"hibernation"`
		} `json:"spec"`
	}
	if err := decodeRaw(cluster.Spec.Shoot, &shoot); err != nil {
		return fmt.Errorf("reading the shoot of cluster %s: %w", name, err)
	}
	hibernation := shoot.Spec.Hibernation
	found.hibernated = hibernation != nil && hibernation.Enabled != nil && *hibernation.Enabled
	return nil
}

func decode(cluster *extensionsv1alpha1.Cluster) (*Cluster, error) {
	decoded := &Cluster{ObjectMeta: cluster.ObjectMeta}
	var errs []error
	if hasRaw(&cluster.Spec.CloudProfile) {
		decoded.CloudProfile = &gardencorev1beta1.CloudProfile{}
		errs = append(errs, decodeRaw(cluster.Spec.CloudProfile, decoded.CloudProfile))
	}
	if cluster.Spec.Seed != nil && hasRaw(cluster.Spec.Seed) {
		decoded.Seed = &gardencorev1beta1.Seed{}
		errs = append(errs, decodeRaw(*cluster.Spec.Seed, decoded.Seed))
	}
	if hasRaw(&cluster.Spec.Shoot) {
		decoded.Shoot = &gardencorev1beta1.Shoot{}
		errs = append(errs, decodeRaw(cluster.Spec.Shoot, decoded.Shoot))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("reading cluster %s: %w", cluster.Name, err)
	}
	return decoded, nil
}

func hasRaw(raw *runtime.RawExtension) bool { return len(raw.Raw) > 0 && string(raw.Raw) != "null" }

func decodeRaw(raw runtime.RawExtension, into any) error {
	if !hasRaw(&raw) {
		return nil
	}
	return json.Unmarshal(raw.Raw, into)
}

func (p parents) garden(ctx context.Context, found *parent) error {
	gardens := &operatorv1alpha1.GardenList{}
	if err := p.reader.List(ctx, gardens); err != nil {
		return fmt.Errorf("failed to list Garden resources: %w", err)
	}
	switch len(gardens.Items) {
	case 0:
		return errors.New("no Garden resource found")
	case 1:
		found.Object, found.preCheck = &gardens.Items[0], &gardens.Items[0]
		return nil
	default:
		return errors.New("multiple Garden resources found, expected exactly one")
	}
}
