package cli

import (
	"context"

	"github.com/spf13/cobra"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/announce"
	"github.com/sickbay-dev/sickbay/internal/people"
	"github.com/sickbay-dev/sickbay/internal/targets"
)

// fieldOwner is the name under which commands write.
const fieldOwner = "sickbay-cli"

// person is who runs the command, about objects of a namespace; empty means all of them.
func (a *access) person(cmd *cobra.Command, c client.Client, namespace string, now clock.PassiveClock) *people.Person {
	return &people.Person{
		Client: c, Name: a.user(cmd.Context(), c), Writer: fieldOwner, Command: cmd.Root().DisplayName(),
		Policy: policyOf(cmd.Context(), c, namespace), Clock: now,
	}
}

// policyOf is that of the manager that looks after a namespace, as far as it announces it.
func policyOf(ctx context.Context, reader client.Reader, namespace string) targets.Policy {
	if flags, ok := announce.Heard(ctx, reader, namespace); ok {
		return flags.Policy
	}
	return targets.Policy{Adopt: targets.AdoptAll}
}

// user is who runs the command: as the API server says, or if it does not, as the kubeconfig does. Empty: nobody knows.
func (a *access) user(ctx context.Context, c client.Client) string {
	review := &authenticationv1.SelfSubjectReview{}
	if err := c.Create(ctx, review); err == nil && review.Status.UserInfo.Username != "" {
		return review.Status.UserInfo.Username
	}
	return a.configuredUser()
}

func (a *access) configuredUser() string {
	if as := a.overrides.AuthInfo.Impersonate; as != "" {
		return as
	}
	config, err := a.loader().RawConfig()
	if err != nil {
		return ""
	}
	name := a.overrides.CurrentContext
	if name == "" {
		name = config.CurrentContext
	}
	if chosen := config.Contexts[name]; chosen != nil {
		return chosen.AuthInfo
	}
	return ""
}
