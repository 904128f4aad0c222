package bench

import (
	"fmt"
	"os"
	"testing"

	extensionsv1alpha1 "github.com/gardener/gardener/pkg/apis/extensions/v1alpha1"
	resourcesv1alpha1 "github.com/gardener/gardener/pkg/apis/resources/v1alpha1"

	"github.com/sickbay-dev/sickbay/healthcheck/internal/testing/env"
)

// underTest names the library that this process runs. Without it, this process measures.
const underTest = "SICKBAY_BENCH_LIBRARY"

func TestMain(m *testing.M) {
	if library := os.Getenv(underTest); library != "" {
		if err := serve(library); err != nil {
			fmt.Fprintf(os.Stderr, "running library %s: %v\n", library, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	env.Main(m, env.WithScheme(extensionsv1alpha1.AddToScheme, resourcesv1alpha1.AddToScheme),
		env.WithModuleCRDs("github.com/gardener/gardener",
			"example/seed-crds/10-crd-extensions.gardener.cloud_workers.yaml",
			"example/seed-crds/10-crd-extensions.gardener.cloud_clusters.yaml",
			"example/seed-crds/10-crd-resources.gardener.cloud_managedresources.yaml"))
}
