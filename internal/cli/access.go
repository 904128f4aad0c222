package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/app"
	"github.com/sickbay-dev/sickbay/internal/lease/leaseflags"
	"github.com/sickbay-dev/sickbay/internal/mhcspec"
	"github.com/sickbay-dev/sickbay/internal/ownwrites"
	"github.com/sickbay-dev/sickbay/internal/useractions"
)

// access holds the flags with which a command reaches the management cluster. They are kubectl's, and mean the same.
type access struct {
	kubeconfig string
	overrides  clientcmd.ConfigOverrides
	all        bool
}

// add registers the flags that every command with access shares.
func (a *access) add(fs *pflag.FlagSet) {
	fs.StringVar(&a.kubeconfig, "kubeconfig", "", "Path of the management cluster's kubeconfig. Default: $KUBECONFIG, ~/.kube/config, or the pod's service account.")
	clientcmd.BindOverrideFlags(&a.overrides, fs, clientcmd.ConfigOverrideFlags{
		CurrentContext: clientcmd.FlagInfo{LongName: "context", Description: "Name of the kubeconfig context to use."},
		AuthOverrideFlags: clientcmd.AuthOverrideFlags{
			Impersonate:       clientcmd.FlagInfo{LongName: "as", Description: "User to act as."},
			ImpersonateGroups: clientcmd.FlagInfo{LongName: "as-group", Description: "Group to act as; may be given several times."},
		},
		ContextOverrideFlags: clientcmd.ContextOverrideFlags{
			Namespace: clientcmd.FlagInfo{LongName: "namespace", ShortName: "n", Description: "Namespace to look at. Default: the context's."},
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

// errNoCluster says that there is no kubeconfig in the usual places.
var errNoCluster = errors.New("no management cluster is configured: set --kubeconfig or $KUBECONFIG")

// config finds the management cluster. If a file or a context that a person named cannot be read, that is a usage error.
func (a *access) config() (*rest.Config, error) {
	cfg, err := a.loader().ClientConfig()
	if clientcmd.IsEmptyConfig(err) {
		return nil, errNoCluster
	}
	if err != nil && (a.kubeconfig != "" || a.overrides.CurrentContext != "") {
		return nil, usageError{a.unreadable(err)}
	}
	if err != nil {
		return nil, a.unreadable(err)
	}
	cfg.UserAgent = "sickbay/" + app.Version
	// A person waits for the answer, so the client does not throttle itself. The API server protects itself with
	// priority and fairness.
	cfg.QPS = -1
	return cfg, nil
}

// namespace returns the namespace to look at; empty means all.
func (a *access) namespace() (string, error) {
	if a.all {
		if a.overrides.Context.Namespace != "" {
			return "", usageError{fmt.Errorf("--all-namespaces and --namespace %s cannot be used together", a.overrides.Context.Namespace)}
		}
		return "", nil
	}
	return a.own()
}

// own returns the namespace of the flags, or else that of the context.
func (a *access) own() (string, error) {
	namespace, _, err := a.loader().Namespace()
	if clientcmd.IsEmptyConfig(err) {
		return "", errNoCluster
	}
	if err != nil {
		return "", usageError{a.unreadable(err)}
	}
	return namespace, nil
}

// unreadable says what is wrong with the kubeconfig.
func (a *access) unreadable(err error) error {
	if file, _, found := strings.Cut(err.Error(), ": couldn't get version/kind"); found {
		return fmt.Errorf("%s is no kubeconfig", strings.TrimPrefix(file, "error loading config file "))
	}
	if config, rawErr := a.loader().RawConfig(); rawErr == nil && clientcmd.IsContextNotFound(err) {
		return fmt.Errorf("the kubeconfig has no context %s; it has: %s", cmp.Or(a.overrides.CurrentContext, config.CurrentContext),
			cmp.Or(strings.Join(slices.Sorted(maps.Keys(config.Contexts)), ", "), "none"))
	}
	return fmt.Errorf("reading the kubeconfig: %w", err)
}

// client returns a client without a cache, which acts as the person who runs the command.
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

// reach returns a client, and the namespace to look at; empty means all.
func (a *access) reach() (client.Client, string, error) {
	namespace, err := a.namespace()
	if err != nil {
		return nil, "", err
	}
	c, err := a.client()
	return c, namespace, err
}

// fieldOwner is the field manager of the commands' writes.
const fieldOwner = ownwrites.CommandFieldOwner

// person returns the person who runs the command, for objects of a namespace; empty means all namespaces.
func (a *access) person(cmd *cobra.Command, c client.Client, namespace string, now clock.PassiveClock) *useractions.Person {
	return &useractions.Person{
		Client: c, Name: a.user(cmd.Context(), c), Writer: fieldOwner, Command: cmd.Root().DisplayName(),
		Policy: policyOf(cmd.Context(), c, namespace, now.Now()), Clock: now,
	}
}

// policyOf returns the policy that the manager for a namespace announces, or else one that adopts all MachineHealthChecks.
func policyOf(ctx context.Context, reader client.Reader, namespace string, now time.Time) mhcspec.Policy {
	if flags, ok := leaseflags.Read(ctx, reader, namespace, now); ok {
		return flags.Policy
	}
	return mhcspec.Policy{Adopt: mhcspec.AdoptAll}
}

// user returns the name of the person who runs the command: from the API server, or else from the kubeconfig. It is
// empty if neither knows.
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
	if _, chosen := a.context(); chosen != nil {
		return chosen.AuthInfo
	}
	return ""
}

// context returns the context of the kubeconfig that counts, and its name; nil if there is none.
func (a *access) context() (name string, chosen *clientcmdapi.Context) {
	config, err := a.loader().RawConfig()
	if err != nil {
		return "", nil
	}
	name = cmp.Or(a.overrides.CurrentContext, config.CurrentContext)
	return name, config.Contexts[name]
}
