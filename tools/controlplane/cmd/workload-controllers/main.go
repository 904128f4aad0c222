// Command workload-controllers runs the controllers of Deployments, ReplicaSets, StatefulSets and DaemonSets of
// kube-controller-manager, from its Go module, and no others. With them, the library records histories of real
// roll-outs, which its rules are tested against: workload-controllers KUBECONFIG.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/kubernetes/pkg/controller/daemon"
	"k8s.io/kubernetes/pkg/controller/deployment"
	"k8s.io/kubernetes/pkg/controller/replicaset"
	"k8s.io/kubernetes/pkg/controller/statefulset"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: workload-controllers KUBECONFIG")
		os.Exit(2)
	}
	if err := run(ctx, os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, kubeconfig string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return fmt.Errorf("reading the kubeconfig: %w", err)
	}
	config.QPS = -1 // no limit
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	factory := informers.NewSharedInformerFactory(c, 0)
	apps, core := factory.Apps().V1(), factory.Core().V1()
	deployments, err := deployment.NewDeploymentController(ctx, apps.Deployments(), apps.ReplicaSets(), core.Pods(), c)
	if err != nil {
		return fmt.Errorf("making the controller of Deployments: %w", err)
	}
	backoff := flowcontrol.NewBackOff(time.Second, time.Minute)
	daemons, err := daemon.NewDaemonSetsController(ctx, apps.DaemonSets(), apps.ControllerRevisions(), core.Pods(), core.Nodes(), c, backoff)
	if err != nil {
		return fmt.Errorf("making the controller of DaemonSets: %w", err)
	}
	replicas := replicaset.NewReplicaSetController(ctx, apps.ReplicaSets(), core.Pods(), c, replicaset.BurstReplicas)
	sets := statefulset.NewStatefulSetController(ctx, core.Pods(), apps.StatefulSets(), core.PersistentVolumeClaims(), apps.ControllerRevisions(), c)
	factory.Start(ctx.Done())
	for _, start := range []func(context.Context, int){deployments.Run, daemons.Run, replicas.Run, sets.Run} {
		go start(ctx, 1)
	}
	<-ctx.Done()
	return nil
}
