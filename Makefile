# Most targets need only Go, git, make and bash. The race detector needs a C compiler, and test-browser needs Chromium.
#
# Each target is a script in tools/make, whose second line says what it does. Here is what the scripts share, and what has to be there before them.
# A variable on make's command line reaches the script: make demo DEMO=-v.

# What make help shows, in this order.
export TARGETS := help demo build controlplane check test test-all explore bench lint generate image push-image release clean
.DEFAULT_GOAL := help
SHELL := /bin/bash

export ROOT := $(CURDIR)
export BIN := $(ROOT)/bin
export ASSETS := $(BIN)/controlplane
export OTHERS := $(BIN)/others
export TOOL := go tool -modfile=go.tools.mod
export VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
export KUBERNETES_VERSION := v1.36.3
export SETUP_ENVTEST := sigs.k8s.io/controller-runtime/tools/setup-envtest@v0.24.2-0.20260713111223-0f529e22d5c0

# Everything is built without C, except with the race detector, so that programs share what they compile, unless go's own setting forbids that.
# A make that another one runs takes the setting from that, not the 0 that it exports.
ifeq ($(origin WITH_C),undefined)
WITH_C := $(CGO_ENABLED)
endif
export WITH_C
export CGO_ENABLED := 0

# What users run, and import. The other modules serve tests.
export SHIPPED := . healthcheck healthcheck/checks/clusterapi healthcheck/gardener
# What make test tests; make lint, fmt and tidy take sim as well. The modules below tools, which build programs of others, are not among them: to
# lint or test tools/controlplane would compile all of Kubernetes once more. The module that needs all of Gardener has a target of its own.
export MODULES := $(SHIPPED) examples/database tools

SCRIPTS := $(notdir $(wildcard tools/make/*))
.PHONY: $(SCRIPTS)
$(SCRIPTS):
	@tools/make/$@

test test-sim test-browser test-bmo test-kubelets test-upgrade test-gardener test-operate bench bench-scale bench-quick bench-library soak: controlplane
demo test-operate weigh: build
test-bmo: $(OTHERS)/.bmo
test-upgrade: $(OTHERS)/.clusterctl
test-operate: $(OTHERS)/.helm $(OTHERS)/.prometheus
chart release login-registry publish: $(OTHERS)/.helm
test-kind: build controlplane $(OTHERS)/.clusterctl $(OTHERS)/.helm
test-image: image $(OTHERS)/.helm

# The real programs of others: those of tools/shelf, whose dependencies fit together, and tools of modules of their own. Prometheus's service
# discoveries are left out: they are most of its dependencies, and its targets here are static.
shelf_helm := helm.sh/helm/v4/cmd/helm
shelf_clusterctl := sigs.k8s.io/cluster-api/cmd/clusterctl
$(OTHERS)/.helm $(OTHERS)/.clusterctl: $(OTHERS)/.%: tools/shelf/go.mod tools/shelf/go.sum
	@mkdir -p $(OTHERS)
	@tools/compile "$*; the first build takes 2 to 5 minutes" tools/shelf -ldflags "-s -w" -o $(OTHERS)/ $(shelf_$*)
	@touch $@

$(OTHERS)/.%: tools/%/go.mod tools/%/go.sum
	@mkdir -p $(OTHERS)
	@tools/compile "$*; the first build takes 2 to 5 minutes" tools/$* $(if $(filter prometheus,$*),-tags remove_all_sd) -ldflags "-s -w" -o $(OTHERS)/ tool
	@touch $@
