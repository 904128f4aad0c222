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

// The causes appear in a condition's message, so they must not change from one try to the next: no ports, no attempts, no durations.
const (
	causeNoConnection = "connection to the workload cluster is down"
	causeNoAnswer     = "the workload cluster does not answer"
)

// unreadable returns the error that says why a cluster could not be read.
func (c *Clusters) unreadable(ctx context.Context, by path, err error) error {
	c.readable.Store(by.cluster, false)
	c.fails(by)
	cause, announced := causeNoAnswer, false
	switch {
	case errors.Is(err, clustercache.ErrClusterNotConnected):
		announced = true
		cause = causeNoConnection
		if problem := c.kubeconfigProblem(ctx, by.cluster); problem != "" {
			cause = problem
		}
	case !timedOut(err) && apierrors.ReasonForError(err) != metav1.StatusReasonUnknown:
		cause = fmt.Sprintf("the workload cluster refused the request (%s)", apierrors.ReasonForError(err))
	}
	return &UnreadableError{Cause: cause, Err: err, Announced: announced}
}

// timedOut reports whether a read timed out. While a cache waits for its first sync, it returns an API error of its own, as if the
// API server had answered.
func timedOut(err error) bool {
	var network net.Error
	return errors.Is(err, context.DeadlineExceeded) || apierrors.IsTimeout(err) || (errors.As(err, &network) && network.Timeout())
}

// throttled reports whether client-go's own rate limiter rejected a request, because it would have delayed it past the caller's
// deadline. That says nothing about the cluster. The error has no type, and wraps none.
func throttled(err error) bool {
	return err != nil && strings.Contains(err.Error(), "would exceed context deadline")
}

// kubeconfigProblem says what is wrong with the kubeconfig of a cluster that is not connected; empty if nothing is. A person can fix
// that cause.
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

// problem is what is wrong with one version of a kubeconfig Secret. It is cached, since all Machines of a cluster need it while the
// cluster cannot be read, and parsing the Secret takes longer than everything else.
type problem struct {
	version kubeconfigVersion
	text    string
}

type kubeconfigVersion struct {
	uid             types.UID
	resourceVersion string
}

// kubeconfigError says what is wrong with a kubeconfig Secret, without quoting it.
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
