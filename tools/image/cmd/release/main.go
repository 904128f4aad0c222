// Command release makes everything that is published for a version: the image, the chart, manifests, the kubectl plugin, checksums
// and notes. Without platforms of the plugin, it makes the image alone.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/sickbay-dev/sickbay/tools/image/internal/gobuild"
	"github.com/sickbay-dev/sickbay/tools/image/internal/release"
	"github.com/sickbay-dev/sickbay/tools/image/internal/source"
)

func main() {
	root := flag.String("root", "../..", "the repository")
	version := flag.String("version", "dev", "the version, such as v1.2.3")
	image := flag.String("image-platforms", "linux/amd64,linux/arm64", "the platforms of the image")
	plugin := flag.String("plugin-platforms", "", "the platforms of the kubectl plugin")
	out := flag.String("out", "", "the directory to write to")
	flag.Parse()
	if err := run(context.Background(), *root, *version, *image, *plugin, *out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, root, version, image, plugin, out string) error {
	if out == "" {
		return errors.New("-out must name a directory")
	}
	src, err := source.Of(ctx, root, version)
	if err != nil {
		return err
	}
	o := release.Options{Root: root, Out: out, Program: release.Sickbay(root, src), Source: src}
	if o.Image, err = gobuild.Platforms(image); err != nil {
		return err
	}
	if plugin == "" {
		return release.Image(ctx, o.Program, src, o.Image, out)
	}
	if o.Plugin, err = gobuild.Platforms(plugin); err != nil {
		return err
	}
	if o.Work, err = os.MkdirTemp("", "sickbay-release-"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(o.Work) }()
	return release.Make(ctx, o)
}
