package world

import (
	"context"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	clusterv1 "sigs.k8s.io/cluster-api/api/core/v1beta2"
	"sigs.k8s.io/cluster-api/util/certs"
	"sigs.k8s.io/cluster-api/util/kubeconfig"
	"sigs.k8s.io/cluster-api/util/secret"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// authority signs for all synthetic clusters, because generating a key takes longer than creating the rest of a cluster.
type authority struct {
	certificate *x509.Certificate
	key         *rsa.PrivateKey
	config      *clientcmdapi.Config
}

// CreateSynthetic creates a workload cluster that consists only of the Cluster, its kubeconfig and an empty in-memory API
// server. It needs Options.Synthetic, because no controller may reconcile the cluster. It is safe for concurrent use.
func (w *World) CreateSynthetic(ctx context.Context, cluster client.ObjectKey) error {
	common, err := w.synthetic()
	if err != nil {
		return err
	}
	w.memory.AddResourceGroup(cluster.String())
	r, err := common.front.add(cluster.String())
	if err != nil {
		return err
	}
	if err := w.keep(cluster, r); err != nil {
		return errors.Join(err, r.close())
	}
	access, err := by(common.authority.config, r)
	if err != nil {
		return err
	}
	return w.createSyntheticCluster(ctx, cluster, access)
}

// CreateSelfHosted is like CreateSynthetic, but the cluster's API server is the world's own. That one is real, and slower
// than one in memory. A world can have only one such cluster.
func (w *World) CreateSelfHosted(ctx context.Context, cluster client.ObjectKey) error {
	access, err := w.relayed(cluster)
	if err != nil {
		return err
	}
	return w.createSyntheticCluster(ctx, cluster, access)
}

// createSyntheticCluster creates a Cluster and the Secret with its kubeconfig.
func (w *World) createSyntheticCluster(ctx context.Context, cluster client.ObjectKey, access []byte) error {
	if err := w.client.Create(ctx, namespace(cluster.Namespace)); client.IgnoreAlreadyExists(err) != nil {
		return fmt.Errorf("creating namespace %s: %w", cluster.Namespace, err)
	}
	if err := w.client.Create(ctx, kubeconfig.GenerateSecretWithOwner(cluster, access, metav1.OwnerReference{
		APIVersion: clusterv1.GroupVersion.String(), Kind: clusterv1.ClusterKind, Name: cluster.Name, UID: "synthetic",
	})); err != nil {
		return fmt.Errorf("creating the kubeconfig of %s: %w", cluster, err)
	}
	return w.describeAsReady(ctx, cluster)
}

// describeAsReady creates a Cluster whose status says that everything is ready.
func (w *World) describeAsReady(ctx context.Context, key client.ObjectKey) error {
	cluster := &clusterv1.Cluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: key.Namespace, Name: key.Name},
		Spec:       clusterv1.ClusterSpec{InfrastructureRef: infraRef("DevCluster", key.Name)},
	}
	if err := w.client.Create(ctx, cluster); err != nil {
		return fmt.Errorf("creating cluster %s: %w", key, err)
	}
	cluster.Status.Initialization = clusterv1.ClusterInitializationStatus{
		InfrastructureProvisioned: new(true), ControlPlaneInitialized: new(true),
	}
	now := w.Now()
	for _, done := range []string{clusterv1.ClusterInfrastructureReadyCondition, clusterv1.ClusterControlPlaneInitializedCondition} {
		cluster.Status.Conditions = append(cluster.Status.Conditions, metav1.Condition{
			Type: done, Status: metav1.ConditionTrue, Reason: "Synthetic", LastTransitionTime: now,
		})
	}
	if err := w.client.Status().Update(ctx, cluster); err != nil {
		return fmt.Errorf("writing the status of cluster %s: %w", key, err)
	}
	return nil
}

func newAuthority() (*authority, error) {
	all := secret.Certificates{&secret.Certificate{Purpose: secret.ClusterCA}}
	if err := all.Generate(); err != nil {
		return nil, fmt.Errorf("making the certificate authority of synthetic clusters: %w", err)
	}
	certificate, err := certs.DecodeCertPEM(all[0].KeyPair.Cert)
	if err != nil {
		return nil, fmt.Errorf("reading the certificate of synthetic clusters: %w", err)
	}
	signer, err := certs.DecodePrivateKeyPEM(all[0].KeyPair.Key)
	if err != nil {
		return nil, fmt.Errorf("reading the key of synthetic clusters: %w", err)
	}
	key, ok := signer.(*rsa.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("the key of synthetic clusters is a %T", signer)
	}
	config, err := kubeconfig.New("synthetic", "https://"+workloadHost, certificate, key)
	if err != nil {
		return nil, fmt.Errorf("making the kubeconfig of synthetic clusters: %w", err)
	}
	return &authority{certificate, key, config}, nil
}
