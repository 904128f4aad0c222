package dashboard

// The manager reads this for the pages, whichever controllers run. Whether a person may see it is checked with that person's
// rights. Requests, the hosts of records, and the owners of sick machines are read live.
//
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=clusters;machines;machinehealthchecks,verbs=list;watch
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=machinesets;machinedeployments;machinepools,verbs=get
// +kubebuilder:rbac:groups=controlplane.cluster.x-k8s.io,resources=*,verbs=get
// +kubebuilder:rbac:groups=sickbay.dev,resources=machineremediations;machineremediationtemplates;rebootremediations,verbs=list;watch
// +kubebuilder:rbac:groups=sickbay.dev,resources=rebootremediations,verbs=get
// +kubebuilder:rbac:groups=metal3.io,resources=baremetalhosts,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=list;watch
