// Package kubelets is an infrastructure provider whose machines are processes: containerd and a real kubelet, or one of kubemark's hollow nodes,
// which is the real kubelet over a container runtime that runs nothing. Their workload cluster has a real kube-apiserver, and the node lifecycle
// controller of a real kube-controller-manager. So nobody simulates what happens to a Node after its kubelet has stopped.
//
// The tests break such machines, and see what Sickbay says and does. They need root. make test-kubelets builds the programs and runs them.
package kubelets
