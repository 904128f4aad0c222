// The other Cluster API that the end-to-end tests run with: make test-sim CAPI=1.13 adds this to go.mod.
replace (
	sigs.k8s.io/cluster-api => sigs.k8s.io/cluster-api v1.13.6
	sigs.k8s.io/cluster-api/test => sigs.k8s.io/cluster-api/test v1.13.7
)
