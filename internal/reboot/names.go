package reboot

const (
	// ByAnnotation on a RebootRemediation tells that it was made for annotations of its Machine, and not
	// from a template.
	ByAnnotation = "sickbay.dev/requested-by-annotation"
	// Finalizer on a RebootRemediation keeps it until nothing of ours is left on its host.
	Finalizer = "sickbay.dev/reboot"
	// FieldOwner is the name under which hosts, Nodes and Machines are written.
	FieldOwner = "sickbay-reboot"
)
