package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/internal/app"
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
