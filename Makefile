# Most targets need only Go, git, make and bash. The race detector needs a C compiler, and test-browser needs Chromium.

ROOT := $(CURDIR)
BIN := $(ROOT)/bin
ASSETS := $(BIN)/controlplane
BMO := $(BIN)/bmo/baremetal-operator
HELM := $(BIN)/helm
PROMETHEUS := $(BIN)/prometheus/prometheus
CLUSTERCTL := $(BIN)/clusterctl/clusterctl
TOOL := go tool -modfile=go.tools.mod

KUBERNETES_VERSION := v1.36.3
ETCD_VERSION := $(shell awk '$$1 == "go.etcd.io/etcd/server/v3" { print $$2 }' tools/controlplane/go.mod)
KUBERNETES_LDFLAGS := -s -w \
	-X k8s.io/component-base/version.gitVersion=$(KUBERNETES_VERSION) \
	-X k8s.io/component-base/version.gitMajor=1 \
	-X k8s.io/component-base/version.gitMinor=36

# A first build takes minutes, and go says nothing while it works. This tells how far it is.
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
PROGRESS = awk '/^[a-z0-9][^ :]*$$/ { n++; if (n % 200 == 0) { printf "  %d packages compiled\n", n; fflush() } next } { print; fflush() }'

# The same flags for all programs that are built here: the next target need not compile again what one has compiled. A demo needs four
# programs, whose packages are the same by more than a third. Not -trimpath: the simulated world finds its files by where its source is. What is
# released is built by tools/image.
BUILD := go build -v
# For the same reason, everything is built without C, except with the race detector, unless go's own setting forbids that.
WITH_C := $(CGO_ENABLED)
export CGO_ENABLED := 0

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

# Of the modules in tools, only image and figures are linted and tested here: to lint or test tools/controlplane would compile all of Kubernetes
# once more, and make licenses and make vulnerabilities test tools/supplychain. The module that needs all of Gardener has a target of its own.
MODULES := . tools/image tools/figures $(filter-out tools/% healthcheck/gardener/compat,$(patsubst %/go.mod,%,$(wildcard */go.mod */*/go.mod */*/*/go.mod)))

# The packages whose markers say which rights they need: each becomes a role of its own, which the chart gives to those who run it.
WITH_RIGHTS := app machinehealth repair/machinehealthcheck repair/remediation upgradepause reboot intake dashboard

# Where generated files live; elsewhere a change is nobody's business but its author's.
GENERATED := config docs charts api healthcheck/internal examples/database/config ':(glob)**/zz_generated*'
FINGERPRINT = { git diff HEAD -- $(GENERATED); git ls-files -z --others --exclude-standard -- $(GENERATED) | xargs -0 cat --; } | git hash-object --stdin

.DEFAULT_GOAL := help
.PHONY: help controlplane build check test explore test-browser test-bmo test-upgrade test-gardener image test-image push-image release test-operate chart bench bench-scale bench-quick bench-check bench-pure bench-library soak demo lint licenses vulnerabilities fuzz figures generate verify-generated tidy fmt clean

help: ## Show the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

controlplane: $(ASSETS)/kube-apiserver ## Build kube-apiserver, etcd and kubectl for the tests, or take those in KUBEBUILDER_ASSETS

# Links are removed before a build, which would write to what they lead to.
SETUP_ENVTEST := go run sigs.k8s.io/controller-runtime/tools/setup-envtest@release-0.24
$(ASSETS)/kube-apiserver: $(wildcard tools/controlplane/go.* tools/controlplane/cmd/*/*.go)
	@mkdir -p $(ASSETS)
	@tools/controlplane/prebuilt "$(KUBEBUILDER_ASSETS)" $(ASSETS) $(KUBERNETES_VERSION) $(ETCD_VERSION) || { \
	echo "Building kube-apiserver, etcd and kubectl; the first build takes about 5 minutes. To fetch them instead, stop this and run"; \
	echo '  export KUBEBUILDER_ASSETS=$$($(SETUP_ENVTEST) use $(basename $(KUBERNETES_VERSION:v%=%)).x -p path)'; \
	rm -f $(ASSETS)/kube-apiserver $(ASSETS)/etcd $(ASSETS)/kubectl; \
	cd tools/controlplane && $(BUILD) -ldflags "$(KUBERNETES_LDFLAGS)" -o $(ASSETS)/ ./cmd/... 2>&1 | $(PROGRESS) && \
	touch $@; }

build: ## Build bin/sickbay
	@echo "Building bin/sickbay"
	@$(BUILD) -ldflags "-X github.com/sickbay-dev/sickbay/internal/app.Version=$(VERSION)" -o $(BIN)/sickbay ./cmd/sickbay 2>&1 | $(PROGRESS)

# The packages that have changed since BASE, with what is not committed: a line for each with its module, and the package within that.
BASE ?= $(shell git merge-base HEAD main 2>/dev/null || echo HEAD)
CHANGED = { git diff --name-only --diff-filter=d $(BASE) -- '*.go'; git ls-files --others --exclude-standard -- '*.go'; } | \
	sed 's|^|./|; s|/[^/]*$$||' | grep -v /testdata | sort -u | \
	while read -r dir; do module=$$dir; until [ -f $$module/go.mod ]; do module=$${module%/*}; done; echo "$$module .$${dir\#$$module}"; done

check: ## Lint what has changed since BASE (where this branch left main), and run the tests of the root module that need no API server; a minute
	@start=$$(date +%s); linter=$$($(TOOL) -n golangci-lint) || exit 1; failed=""; changed=$$($(CHANGED)); \
	for module in $$(cut -d' ' -f1 <<<"$$changed" | sort -u); do \
		[[ " $(MODULES) " == *" $${module#./} "* ]] || continue; \
		packages=$$(awk -v module="$$module" '$$1 == module { print $$2 }' <<<"$$changed"); \
		echo "== lint $$module:" $$packages; \
		(cd $$module && $$linter run --allow-parallel-runners --config=$(ROOT)/.golangci.yaml $$packages) || failed="$$failed lint"; \
	done; \
	go test -short -vet=off ./... | grep -v '\[no test files\]' || failed="$$failed tests"; \
	echo "This took $$(($$(date +%s) - start)) seconds. make test and make lint try the rest."; \
	if [ -n "$$failed" ]; then echo "Failed:$$failed"; exit 1; fi

# PACKAGES is how many packages are built and tested side by side. Without it, that is one more than there are processors, as each waits for its
# API server to start; in sim only as many as there are processors, or the clusters of sim/e2e come up late. sim/e2e takes longest, so it goes
# first.
PACKAGES ?=
PROCESSORS := $(or $(shell getconf _NPROCESSORS_ONLN 2>/dev/null),2)
SLOWEST := $(BIN)/tests.json
# Without debugging information (-w), linking takes half as long; panics still name files and lines. Without GORACE, each of 200 test binaries
# would sleep for a second at its end, and wait for races that come late.
test: controlplane ## Run the tests of all modules, with the race detector, in random order, and list the slowest twenty
	@start=$$(date +%s); race=""; failed=""; sum=$$($(TOOL) -n gotestsum) || exit 1; rm -f $(SLOWEST)*; \
	if [ "$$(CGO_ENABLED=$(WITH_C) go env CGO_ENABLED)" = 1 ] && command -v $$(go env CC) >/dev/null; then \
		race=-race; export CGO_ENABLED=1; \
	else \
		export CGO_ENABLED=0; echo "Without a C compiler, or with CGO_ENABLED=0, the tests run without the race detector."; \
	fi; \
	for module in $(MODULES); do \
		echo "== test $$module"; \
		beside=$$(($(PROCESSORS) + 1)); packages=./...; if [ $$module = sim ]; then beside=$(PROCESSORS); packages="./e2e ./..."; fi; \
		(cd $$module && KUBEBUILDER_ASSETS=$(ASSETS) GORACE="atexit_sleep_ms=0 $$GORACE" $$sum --format=pkgname --jsonfile=$(SLOWEST).one -- \
			$$race -vet=off -ldflags=-w -shuffle=on -p=$(or $(PACKAGES),$$beside) -timeout=45m $$packages) || failed="$$failed $$module"; \
		cat $(SLOWEST).one >>$(SLOWEST); \
	done; \
	echo "The slowest tests:"; $$sum tool slowest --num=20 --threshold=1s --jsonfile=$(SLOWEST); \
	echo "Tests took $$(($$(date +%s) - start)) seconds. Left out is what make test-browser, make test-bmo, make test-upgrade, make test-gardener, make test-image and make test-operate try."; \
	if [ -n "$$failed" ]; then echo "Tests failed in:$$failed"; exit 1; fi

EXPLORE ?= -schedules=20000 -plants
explore: ## Search schedules of faults, crashes and people for what must not happen: EXPLORE="-world=pool -schedules=1000000 -seed=7"
	@echo "Building the explorer"
	@cd sim && $(BUILD) -o $(BIN)/explore ./cmd/explore 2>&1 | $(PROGRESS)
	@$(BIN)/explore $(EXPLORE)

# -race is for code; here a browser and an API server share the processors with the tests.
CHROMIUM ?= $(shell command -v chromium || command -v chromium-browser || command -v google-chrome)
BROWSER ?=
test-browser: controlplane ## Try the dashboard in Chromium, and see that nobody is kept out: BROWSER=-pictures takes those in docs/images anew
	@if [ -z "$(CHROMIUM)" ]; then echo "No Chromium found: nothing was tried in a browser. On Debian, apt-get install chromium brings it."; exit 0; fi; \
	cd sim && KUBEBUILDER_ASSETS=$(ASSETS) go test -count=1 -p=1 -parallel=4 -timeout=10m ./browser/... -args -chromium=$(CHROMIUM) $(BROWSER)

$(BMO): $(wildcard tools/bmo/go.*)
	@echo "Building the baremetal-operator; the first build takes 2 to 5 minutes."
	@mkdir -p $(dir $@)
	@cd tools/bmo && $(BUILD) -ldflags "-s -w" -o $@ github.com/metal3-io/baremetal-operator 2>&1 | $(PROGRESS)
	@touch $@

# Not cached, as go does not know that the result depends on the binary.
test-bmo: controlplane $(BMO) ## Cycle hosts of the real baremetal-operator, and compare it with the simulated one
	@cd sim && KUBEBUILDER_ASSETS=$(ASSETS) go test -count=1 -parallel=8 -timeout=10m ./baremetal/golden ./baremetal/cycle -args -bmo=$(BMO)

# The service discoveries are left out: they are most of Prometheus's dependencies, and its targets here are static.
$(PROMETHEUS): $(wildcard tools/prometheus/go.*)
	@echo "Building Prometheus; the first build takes 2 to 5 minutes."
	@mkdir -p $(dir $@)
	@cd tools/prometheus && $(BUILD) -tags remove_all_sd -ldflags "-s -w" -o $(dir $@) github.com/prometheus/prometheus/cmd/prometheus github.com/prometheus/prometheus/cmd/promtool 2>&1 | $(PROGRESS)
	@touch $@

$(CLUSTERCTL): $(wildcard tools/clusterctl/go.*)
	@echo "Building clusterctl; the first build takes about 2 minutes."
	@mkdir -p $(dir $@)
	@cd tools/clusterctl && $(BUILD) -ldflags "-s -w" -o $@ sigs.k8s.io/cluster-api/cmd/clusterctl 2>&1 | $(PROGRESS)
	@touch $@

# Not cached, as go does not know that the result depends on the history and on the binary. Without the race detector, as each binary would be compiled once more.
test-upgrade: controlplane $(CLUSTERCTL) ## Change versions and management clusters in the middle of repairs
	@cd sim && KUBEBUILDER_ASSETS=$(ASSETS) go test -count=1 -timeout=15m ./e2e/versions -args -versions && \
	KUBEBUILDER_ASSETS=$(ASSETS) go test -count=1 -timeout=10m ./e2e/move -args -clusterctl=$(CLUSTERCTL)

# Without the race detector: Gardener's library has the race that one of the tests is about.
test-gardener: controlplane ## Compare with Gardener's own health check library; the first build takes 5 to 10 minutes
	@cd healthcheck/gardener/compat && KUBEBUILDER_ASSETS=$(ASSETS) go test -v -timeout=10m ./... 2>&1 | grep -v '^=== '

PLATFORMS ?= linux/amd64,linux/arm64
image: ## Build the image as an OCI layout in bin/image, without Docker: PLATFORMS=linux/amd64 for that one alone
	@echo "Building the image $(VERSION) for $(PLATFORMS); the first build takes 2 to 3 minutes for each"
	@cd tools/image && go run ./cmd/image -root=$(ROOT) -version=$(VERSION) -platforms=$(PLATFORMS) -out=$(BIN)/image

test-image: image ## Build the image once more elsewhere and compare, push it, pull it and run it
	@cd tools/image && go test -count=1 -run='^TestRealImage' ./internal/release -args -image=$(BIN)/image

push-image: ## Push the image that make image has made: REPOSITORY=registry.example.com/sickbay
	@cd tools/image && go run ./cmd/push $(BIN)/image/layout "$(REPOSITORY)"

DIST ?= $(ROOT)/dist
PLUGIN_PLATFORMS ?= linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64
release: ## Make all that is published for a version, in dist: VERSION=v1.2.3
	@echo "Making the release $(VERSION); the first build takes 2 to 3 minutes for each platform"
	@cd tools/image && go run ./cmd/release -root=$(ROOT) -version=$(VERSION) -image-platforms=$(PLATFORMS) -plugin-platforms=$(PLUGIN_PLATFORMS) -out=$(DIST)

# Not cached, as go does not know that the result depends on the binary.
test-operate: controlplane build $(HELM) $(PROMETHEUS) ## Try the chart with the real Helm, follow docs/install.md, and have the real Prometheus fire each alert; UPDATE=-update writes what happens into the page
	@cd sim && KUBEBUILDER_ASSETS=$(ASSETS) go test -count=1 -timeout=10m ./chart -args -helm=$(HELM) $(UPDATE)
	@cd sim && KUBEBUILDER_ASSETS=$(ASSETS) go test -count=1 -timeout=10m ./prometheus ./e2e/alerts -args -prometheus=$(dir $(PROMETHEUS))

# What is measured again replaces what the file of the day has.
MEASURE = mkdir -p bench/results && cd sim && KUBEBUILDER_ASSETS=$(ASSETS) $(BIN)/bench run -add -docs=$(ROOT)/docs -profiles=$(BIN)/profiles \
	-out=$(ROOT)/bench/results/$$(date -u +%F).json

BENCH ?=
bench: controlplane $(BIN)/bench ## Measure Sickbay beside Cluster API's own controller, into bench/results and docs/benchmarks.md; more than an hour, or in parts: BENCH="-fleets=1x10000 -only=storm"
	@$(MEASURE) $(BENCH)

bench-scale: controlplane $(BIN)/bench ## Measure what one process carries, up to 100,000 machines, into the same files; needs 20 GiB of memory, BENCH as above
	@$(MEASURE) -scale $(BENCH)

bench-quick: controlplane $(BIN)/bench ## Measure a small fleet, into bin; under 3 minutes
	@cd sim && KUBEBUILDER_ASSETS=$(ASSETS) $(BIN)/bench run -quick -out=$(BIN)/bench-quick.json

FIGURES ?= $(BIN)/bench-quick.json
bench-check: $(BIN)/bench ## Compare figures with the limits in sim/bench/limits.yaml: FIGURES=file, or else those of bench-quick
	@cd sim && $(BIN)/bench check -figures=$(FIGURES)

.PHONY: $(BIN)/bench
$(BIN)/bench:
	@echo "Building the benchmark"
	@cd sim && $(BUILD) -ldflags "-X main.version=$(VERSION)" -o $@ ./cmd/bench 2>&1 | $(PROGRESS)

bench-pure: ## Measure what is decided without the API: the time and the allocations of each; about a minute
	@go test -run='^$$' -bench=. -benchtime=100ms ./internal/machinehealth/... ./internal/repair/machinehealthcheck \
		./internal/remedy/... ./internal/upgradepause/... ./internal/reboot
	@cd healthcheck && go test -run='^$$' -bench=. -benchtime=100ms . ./checks/...

bench-library: controlplane ## Measure what health checks cost, Gardener's own library beside; about 8 minutes after the first build
	@cd healthcheck/gardener/compat && KUBEBUILDER_ASSETS=$(ASSETS) go test -v -run='^$$' -bench=. -benchtime=1x -timeout=30m ./bench

SOAK ?=
soak: controlplane ## Inject random faults into 2,000 machines for half an hour, and check the outcome: SOAK="-duration=5m -seed=7"
	@echo "Building the soak"
	@cd sim && $(BUILD) -o $(BIN)/soak ./cmd/soak 2>&1 | $(PROGRESS)
	@cd sim && KUBEBUILDER_ASSETS=$(ASSETS) $(BIN)/soak $(SOAK)

DEMO ?=
demo: controlplane build ## Run Sickbay in a simulated world: DEMO=-v prints every line; KEEP=1 leaves it running at the end
	@echo "Building the demo"
	@cd sim && $(BUILD) -o $(BIN)/demo ./cmd/demo 2>&1 | $(PROGRESS)
	@cd sim && KEEP=$(KEEP) KUBEBUILDER_ASSETS=$(ASSETS) $(BIN)/demo $(DEMO)

lint: verify-generated ## Check the code of all modules, and that generated files are up to date
	@linter=$$($(TOOL) -n golangci-lint) || exit 1; failed=""; \
	for module in $(MODULES); do \
		echo "== lint $$module"; \
		(cd $$module && $$linter run --config=$(ROOT)/.golangci.yaml ./...) || failed="$$failed $$module"; \
	done; \
	if [ -n "$$failed" ]; then echo "Lint found something in:$$failed"; exit 1; fi

# What users run, and import. The other modules serve tests.
SHIPPED := . healthcheck healthcheck/checks/clusterapi healthcheck/gardener
comma := ,
spaces := $(subst ,, ) $(subst ,, )

LICENSES ?=
licenses: ## Check the licenses of what users get, and THIRD_PARTY_NOTICES.txt: LICENSES=-write brings it up to date
	@cd tools/supplychain && go test ./cmd/licenses && go build -o $(BIN)/licenses ./cmd/licenses
	@$(BIN)/licenses -binary=./cmd/sickbay -notices=THIRD_PARTY_NOTICES.txt -libraries=$(subst $(spaces),$(comma),$(SHIPPED)) $(LICENSES)

VULNERABILITIES ?=
vulnerabilities: ## Look for known vulnerabilities; without the database nothing is checked: VULNERABILITIES="-require -db=file:///copy"
	@cd tools/supplychain && go test ./cmd/vulnerabilities && go build -o $(BIN)/vulnerabilities ./cmd/vulnerabilities
	@$(BIN)/vulnerabilities -ships=$(subst $(spaces),$(comma),$(SHIPPED)) $(VULNERABILITIES) sim healthcheck/gardener/compat $(patsubst %/go.mod,%,$(wildcard tools/*/go.mod))

FUZZ ?= 5s
fuzz: ## Try every parser with input that nobody thought of, each for a while: FUZZ=1m
	@for module in $(SHIPPED); do \
		(cd $$module && go list -f '{{$$dir := .ImportPath}}{{range .TestGoFiles}}{{$$dir}} {{$$.Dir}}/{{.}}{{"\n"}}{{end}}{{range .XTestGoFiles}}{{$$dir}} {{$$.Dir}}/{{.}}{{"\n"}}{{end}}' ./... | \
		while read -r package file; do sed -n "s|^func \(Fuzz[A-Za-z0-9_]*\)(.*|$$package \1|p" "$$file"; done | \
		while read -r package fuzz; do \
			go test "$$package" -run='^$$' -fuzz="^$$fuzz\$$" -fuzztime=$(FUZZ) -parallel=2 </dev/null || exit 1; \
		done) || exit 1; \
	done

generate: ## Generate RBAC and CRDs from the markers in the code, and whatever go:generate asks for
	@for package in $(WITH_RIGHTS); do \
		name=$${package##*/}; name=$${name/#app/manager}; echo "config/rbac/$$name.yaml"; \
		$(TOOL) controller-gen rbac:roleName=$$name,fileName=$$name.yaml paths=./internal/$$package/... output:rbac:dir=config/rbac || exit 1; \
	done
	$(TOOL) controller-gen object crd paths=./api/... output:crd:dir=config/crd
	@echo "examples/database"; generator=$$($(TOOL) -n controller-gen) && cd examples/database && \
	$$generator object crd paths=./api/... output:crd:dir=config/crd && \
	$$generator rbac:roleName=database-health paths=./health/... output:rbac:dir=config/rbac
	@for module in $(SHIPPED); do (cd $$module && go generate ./...) || exit 1; done
	$(MAKE) --no-print-directory chart

# Last, as it copies what the others generate.
chart: $(HELM) ## Copy into charts/sickbay what belongs to others, and render the one-file manifests in config/install
	@go test -count=1 ./charts -run '^TestGenerated' -args -update
	@for manifest in $(patsubst charts/install/%.yaml,%,$(wildcard charts/install/*.yaml)); do \
		echo "config/install/$$manifest.yaml"; \
		$(HELM) template sickbay charts/sickbay --namespace sickbay-system --kube-version $(KUBERNETES_VERSION) --values charts/install/$$manifest.yaml >config/install/$$manifest.yaml || exit 1; \
	done

$(HELM): tools/helm/go.mod tools/helm/go.sum
	@echo "Building Helm; the first build takes 2 to 4 minutes."
	@mkdir -p $(dir $@)
	@cd tools/helm && $(BUILD) -ldflags "-s -w" -o $@ helm.sh/helm/v4/cmd/helm 2>&1 | $(PROGRESS)
	@touch $@

verify-generated: ## Fail if a generated file is out of date (and bring it up to date)
	@before=$$($(FINGERPRINT)); \
	$(MAKE) --no-print-directory generate || exit 1; \
	if [ "$$before" != "$$($(FINGERPRINT))" ]; then \
		git status --short -- $(GENERATED); \
		echo "Generated files were out of date: review and commit the changes that make generate has just made."; \
		exit 1; \
	fi

figures: ## Measure the code: sizes, documentation and imports by room; BY=package for each package
	@cd tools/figures && go run . -root=$(ROOT) -by=$(or $(BY),room)

# Not tools/prometheus: it also requires the service discoveries, which we leave out, and some of them cannot be downloaded.
# Not go.tools.mod: as it shares the root's packages, tidying would pull the root's requirements into it.
tidy: ## Tidy the go.mod of every module
	@for module in $(MODULES) healthcheck/gardener/compat tools/controlplane tools/bmo tools/helm tools/supplychain; do (cd $$module && go mod tidy) || exit 1; done

fmt: ## Format the code of every module
	@for module in $(MODULES); do (cd $$module && go fmt ./...) || exit 1; done

clean: ## Remove what was built
	rm -rf $(BIN) $(ROOT)/dist
