package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/announce"
	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/people"
)

// access is how a command reaches the management cluster. The flags are kubectl's, and mean the same.
type access struct {
	kubeconfig string
	overrides  clientcmd.ConfigOverrides
	all        bool
}

// add registers the flags that every command with access shares.
func (a *access) add(fs *pflag.FlagSet) {
	fs.StringVar(&a.kubeconfig, "kubeconfig", "", "Path of the kubeconfig of the management cluster. Without it: $KUBECONFIG, or ~/.kube/config, or the pod's service account.")
	clientcmd.BindOverrideFlags(&a.overrides, fs, clientcmd.ConfigOverrideFlags{
		CurrentContext: clientcmd.FlagInfo{LongName: "context", Description: "Context of the kubeconfig to use."},
		AuthOverrideFlags: clientcmd.AuthOverrideFlags{
			Impersonate:       clientcmd.FlagInfo{LongName: "as", Description: "User to act as."},
			ImpersonateGroups: clientcmd.FlagInfo{LongName: "as-group", Description: "Group to act as; may be given several times."},
		},
		ContextOverrideFlags: clientcmd.ContextOverrideFlags{
			Namespace: clientcmd.FlagInfo{LongName: "namespace", ShortName: "n", Description: "Namespace to look at. Without it, that of the context."},
		},
	})
}

// addAll registers -A too, for commands that look at more than one object.
func (a *access) addAll(fs *pflag.FlagSet) {
	a.add(fs)
	fs.BoolVarP(&a.all, "all-namespaces", "A", false, "Look at all namespaces.")
}

func (a *access) loader() clientcmd.ClientConfig {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = a.kubeconfig
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, &a.overrides)
}

// errNoCluster is for a person who has no kubeconfig, or not where it is looked for.
var errNoCluster = errors.New("no management cluster is known: set --kubeconfig or $KUBECONFIG")

// config finds the management cluster. What a person has named is a usage error if it cannot be read.
func (a *access) config() (*rest.Config, error) {
	cfg, err := a.loader().ClientConfig()
	if clientcmd.IsEmptyConfig(err) {
		return nil, errNoCluster
	}
	if err != nil && (a.kubeconfig != "" || a.overrides.CurrentContext != "") {
		return nil, usageError{fmt.Errorf("reading the kubeconfig: %w", err)}
	}
	if err != nil {
		return nil, fmt.Errorf("finding the management cluster: %w", err)
	}
	cfg.UserAgent = "sickbay/" + app.Version
	// A person waits. The API server's own fairness protects it from many at once.
	cfg.QPS = -1
	return cfg, nil
}

// namespace is the one to look at; empty means all.
func (a *access) namespace() (string, error) {
	if a.all {
		if a.overrides.Context.Namespace != "" {
			return "", usageError{fmt.Errorf("--all-namespaces and --namespace %s exclude each other", a.overrides.Context.Namespace)}
		}
		return "", nil
	}
	return a.own()
}

// own is the namespace of the flags, or else that of the context.
func (a *access) own() (string, error) {
	namespace, _, err := a.loader().Namespace()
	if clientcmd.IsEmptyConfig(err) {
		return "", errNoCluster
	}
	if err != nil {
		return "", usageError{fmt.Errorf("reading the kubeconfig: %w", err)}
	}
	return namespace, nil
}

// client reads and writes the management cluster without a cache, as the person who runs the command.
func (a *access) client() (client.Client, error) {
	cfg, err := a.config()
	if err != nil {
		return nil, err
	}
	c, err := client.New(cfg, client.Options{Scheme: app.Scheme()})
	if err != nil {
		return nil, fmt.Errorf("reaching the management cluster: %w", err)
	}
	return c, nil
}

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
func policyOf(ctx context.Context, reader client.Reader, namespace string) mhcspec.Policy {
	if flags, ok := announce.Heard(ctx, reader, namespace); ok {
		return flags.Policy
	}
	return mhcspec.Policy{Adopt: mhcspec.AdoptAll}
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
