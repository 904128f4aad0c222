package useractions

import (
	"context"
	"fmt"
	"unicode/utf8"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/preview"
)

const (
	// MaxReason is the maximum length of a reason, in characters.
	MaxReason = 1024
	// maxBy is the maximum length of the name that is stored with a decision, in characters.
	maxBy = 253
)

// Person is somebody who decides.
type Person struct {
	// Client reads and writes without a cache, with the person's rights.
	Client client.Client
	// Name is the person's name; empty if it is not known.
	Name string
	// Writer is the field manager of the person's writes.
	Writer client.FieldOwner
	// Command is how the person calls Sickbay, for hints.
	Command string
	// Policy is the policy of the manager that carries out what the person decides.
	Policy mhcspec.Policy
	Clock  clock.PassiveClock
}

// Change is a pending write, and its consequences.
type Change struct {
	// Name is what people call the object: mr/metal-3-5f2c9d1e-1.
	Name string
	// Already says why there is nothing to write; empty if there is.
	Already string
	Title   string
	Lines   []preview.Line
	// Shown is the object as it was when the change was made.
	Shown client.Object
	// Step is the step that a repair restarts with; empty for anything but a retry.
	Step string

	write func(ctx context.Context, dryRun bool) (client.Object, error)
	seen  string
}

// Check makes the API server validate the write without storing it.
func (c *Change) Check(ctx context.Context) (client.Object, error) { return c.write(ctx, true) }

// Write makes the write, unless what it is based on has changed.
func (c *Change) Write(ctx context.Context) (client.Object, error) { return c.write(ctx, false) }

// Seen identifies what the change is based on: two changes with the same value are based on the same
// state.
func (c *Change) Seen() string { return c.seen }

// Record reads a record by name.
func (p *Person) Record(ctx context.Context, namespace, name string) (*v1alpha1.MachineRemediation, error) {
	r := &v1alpha1.MachineRemediation{}
	err := p.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, r)
	if apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("there is no mr/%s in namespace %s", name, namespace)
	}
	return r, Explained(err)
}

func (p *Person) patchOptions(dryRun bool) []client.PatchOption {
	options := []client.PatchOption{p.Writer}
	if dryRun {
		options = append(options, client.DryRunAll)
	}
	return options
}

// CheckReason returns an error if a reason is too long.
func CheckReason(reason string) error {
	if n := utf8.RuneCountInString(reason); n > MaxReason {
		return fmt.Errorf("the reason has %d characters: it must have at most %d", n, MaxReason)
	}
	return nil
}

// Explained adds advice to an error of the API server.
func Explained(err error) error {
	switch {
	case err == nil:
		return nil
	case meta.IsNoMatchError(err):
		return fmt.Errorf("the kinds of Sickbay are not installed (sickbay crds | kubectl apply -f - installs them): %w", err)
	case apierrors.IsForbidden(err):
		return fmt.Errorf("%w. The ClusterRole sickbay-decide permits it", err)
	}
	return err
}

// fit shortens a text to a number of characters.
func fit(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}
