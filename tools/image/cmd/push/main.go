// Command push copies the image that make image built to a registry, with the credentials of docker login or podman login.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/sickbay-dev/sickbay/tools/image/internal/oci"
)

func main() {
	if len(os.Args) != 3 || os.Args[2] == "" {
		fmt.Fprintln(os.Stderr, "push takes a layout and a repository, such as registry.example.com/sickbay")
		os.Exit(2)
	}
	pushed, err := oci.Push(context.Background(), os.Args[1], os.Args[2], remote.WithAuthFromKeychain(authn.DefaultKeychain))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Fprintf(os.Stdout, "The image is %s\n", pushed)
}
