// Command kubemark is upstream's hollow node, built from its Go module: the real kubelet on a container runtime that runs nothing.
package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kubemark/app"
)

func main() {
	os.Exit(cli.Run(app.NewHollowNodeCommand()))
}
