// Package world starts a complete Cluster API installation inside one process, for tests, demos and
// experiments.
//
// A world is a real kube-apiserver with its etcd, the real Cluster API controllers (core, kubeadm
// bootstrap, kubeadm control plane, the development infrastructure provider), and workload clusters
// in memory. The code that runs in production creates, joins, deletes and replaces the Machines, in
// seconds and without containers.
//
//	w, err := world.Start(ctx, world.Options{})
//	defer w.Stop(ctx)
//	err = w.CreateCluster(ctx, world.ClusterSpec{Namespace: "default", Name: "blue", Workers: 3})
//	err = w.WaitReady(ctx, client.ObjectKey{Namespace: "default", Name: "blue"})
//
// Package fault breaks it.
package world
