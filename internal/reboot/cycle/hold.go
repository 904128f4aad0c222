package cycle

import (
	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// hold keeps the host off until somebody asks for more.
func (d *step) hold() {
	d.doubt()
	switch {
	case d.s.IsolatedAt == nil && d.f.asked(v1alpha1.StepDelete):
		// A wait of its own begins, if the host is not proven off any more.
		d.s.PendingRebootSince = d.time()
		d.enter(v1alpha1.Fenced, "The host is off")
	case d.f.asked(v1alpha1.StepPowerOn):
		d.release()
	case !d.f.Host.Key:
		d.act(SetKey)
	case d.s.KeySince == nil && !d.doubtful():
		d.s.KeySince = d.time()
	}
}

// holdOff begins to keep the host off for as long as it is wanted.
func (d *step) holdOff() {
	if d.s.HoldingSince == nil {
		d.s.HoldingSince = d.time()
	}
	d.enter(v1alpha1.Holding, "The host is off; nobody has asked for more")
}
