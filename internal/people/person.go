package people

import (
	"context"
	"fmt"
	"unicode/utf8"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
	"github.com/sickbay-dev/sickbay/internal/decision"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
)

const (
	// MaxReason is how long a reason may be, in characters.
	MaxReason = 1024
	// maxBy is how long the name may be that is stored with a decision, in characters.
	maxBy = 253
)

// Person is somebody who decides.
type Person struct {
	// Client reads and writes without a cache, with the person's rights.
	Client client.Client
	// Name is who it is; empty if nobody knows.
	Name string
	// Writer is the name under which the fields are written.
	Writer client.FieldOwner
	// Command is how the person calls Sickbay, for hints.
	Command string
	// Policy is that of the manager which carries out what the person decides.
	Policy mhcspec.Policy
	Clock  clock.PassiveClock
}

// Change is what is to be written, and what comes of it.
type Change struct {
	// Name is how people call what it is about: mr/metal-3-5f2c9d1e-1.
	Name string
	// Already says that there is nothing to write; empty if there is.
	Already string
	Title   string
	Lines   []decision.Line
	// Shown is the object as it was when this was made.
	Shown client.Object
	// Step is the one that a repair begins anew with; empty for anything but a retry.
	Step string

	write func(ctx context.Context, dryRun bool) (client.Object, error)
	seen  string
}

// Check has the API server check what would be written.
func (c *Change) Check(ctx context.Context) (client.Object, error) { return c.write(ctx, true) }

// Write writes it, unless what it was made from has changed.
func (c *Change) Write(ctx context.Context) (client.Object, error) { return c.write(ctx, false) }

// Seen stands for what the change was made from: one made later is still the same if it has the same.
func (c *Change) Seen() string { return c.seen }

// Record reads a record by its name.
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

// CheckReason says that a reason is too long.
func CheckReason(reason string) error {
	if n := utf8.RuneCountInString(reason); n > MaxReason {
		return fmt.Errorf("the reason has %d characters: it must have at most %d", n, MaxReason)
	}
	return nil
}

// Explained adds to an error of the API server what helps.
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

// fit shortens a text to what a field takes, in characters.
func fit(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}
