package workload

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/cluster-api/controllers/clustercache"
	"sigs.k8s.io/cluster-api/util/secret"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck/targets"
)

// The causes are part of a condition's message, so they must not change from one
// try to the next: no ports, no attempts, no durations.
const (
	causeNoConnection = "connection to the workload cluster is down"
	causeNoAnswer     = "the workload cluster does not answer"
)

// unreadable says why a cluster could not be read.
func (c *Clusters) unreadable(ctx context.Context, cluster client.ObjectKey, err error) error {
	c.readable.Store(cluster, false)
	c.failing.LoadOrStore(cluster, c.Clock.Now())
	cause, announced := causeNoAnswer, false
	switch {
	case errors.Is(err, clustercache.ErrClusterNotConnected):
		announced = true
		cause = causeNoConnection
		if problem := c.kubeconfigProblem(ctx, cluster); problem != "" {
			cause = problem
		}
	case !timedOut(err) && apierrors.ReasonForError(err) != metav1.StatusReasonUnknown:
		cause = fmt.Sprintf("the workload cluster refused the request (%s)", apierrors.ReasonForError(err))
	}
	return &UnreadableError{Cause: cause, Err: err, Announced: announced}
}

// timedOut reports whether a read was given up. A cache that waits for its first sync
// says so by an API error of its own, as if the API server had answered.
func timedOut(err error) bool {
	var network net.Error
	return errors.Is(err, context.DeadlineExceeded) || apierrors.IsTimeout(err) || (errors.As(err, &network) && network.Timeout())
}

// throttled reports whether a request was never sent, since client-go's own rate limiter would have held it back for longer than the
// caller had. That says nothing of the cluster. The error has no type, and wraps none.
func throttled(err error) bool {
	return err != nil && strings.Contains(err.Error(), "would exceed context deadline")
}

// kubeconfigProblem says what is wrong with the kubeconfig of a cluster that is
// not connected; empty if it looks good. It is the cause that a person can mend.
func (c *Clusters) kubeconfigProblem(ctx context.Context, cluster client.ObjectKey) string {
	name := secret.Name(cluster.Name, secret.Kubeconfig)
	var kubeconfig corev1.Secret
	err := c.Secrets.Get(ctx, client.ObjectKey{Namespace: cluster.Namespace, Name: name}, &kubeconfig)
	if apierrors.IsNotFound(err) {
		return fmt.Sprintf("the kubeconfig secret %s does not exist", name)
	}
	if err != nil {
		return ""
	}
	version := kubeconfigVersion{uid: kubeconfig.UID, resourceVersion: kubeconfig.ResourceVersion}
	if known, ok := c.problems.Load(cluster); ok && known.(problem).version == version {
		return known.(problem).text
	}
	found := problem{version: version}
	if err := kubeconfigError(&kubeconfig); err != nil {
		found.text = err.Error()
	}
	c.problems.Store(cluster, found)
	return found.text
}

// problem is what is wrong with one version of a kubeconfig secret. It is kept, since all Machines of a cluster ask for it as long as
// the cluster cannot be read, and to parse the secret takes longer than all else of such a look.
type problem struct {
	version kubeconfigVersion
	text    string
}

type kubeconfigVersion struct {
	uid             types.UID
	resourceVersion string
}

// kubeconfigError says what is wrong with a kubeconfig secret, without a word out of it.
func kubeconfigError(kubeconfig *corev1.Secret) error {
	_, err := targets.ParseKubeconfig(kubeconfig.Data[secret.KubeconfigDataName])
	forbidden := (*targets.ForbiddenError)(nil)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &forbidden):
		return fmt.Errorf("the kubeconfig secret %s cannot be used: it names %s, which is not allowed", kubeconfig.Name, forbidden.Names)
	default:
		return fmt.Errorf("the kubeconfig secret %s cannot be used: its key %q holds no valid kubeconfig", kubeconfig.Name, secret.KubeconfigDataName)
	}
}
