package ladder

import (
	"time"

	"github.com/sickbay-dev/sickbay/api/v1alpha1"
)

// deletion is a step that deletes the machine, whatever owns it.
func deletion() v1alpha1.RemediationStep {
	return v1alpha1.RemediationStep{Name: "delete", Action: v1alpha1.ActionReplace, By: v1alpha1.ReplaceByDeletion, TimeoutSeconds: new(int32(3600))}
}

// owned has the record say which controller owned its machine.
func owned(f *Facts) {
	f.Record.Annotations = map[string]string{OwnerUIDAnnotation: "ms-1", OwnerAnnotation: "cluster.x-k8s.io/v1beta2 MachineSet md-0"}
}

// deleted adds an attempt that has deleted the machine some time ago.
func deleted(before time.Duration) change {
	return func(f *Facts) {
		begins("delete", before)(f)
		Last(&f.Record.Status).ObjectRef = machineSet()
		begun(before)(f)
		f.Machine.DeletingSince = noon.Add(-before)
	}
}

func inControlPlane(f *Facts) { f.Machine.ControlPlane = true }

// rowsDeletion: a step deletes the machine itself, and its owner makes another one.
func rowsDeletion() []row {
	const deletes = "Acting Acting: Step delete: the machine is being deleted; waits until it is gone"
	return []row{
		{"a deletion is its first act", with(plan(deletion()), owned), answer{Does: "DeleteMachine 1"}},
		{"nobody owns the machine", with(plan(deletion()), orphan), answer{Does: "DeleteMachine 1"}},
		{
			"a later deletion is stored before the act",
			with(plan(reboot(), deletion()), owned, works("reboot", time.Hour), over(v1alpha1.ResultTimedOut, "delete")),
			answer{Says: "Acting Acting: Step delete: waits until the machine is deleted; a person decides if that does not help", Last: "delete 2, asked"},
		},
		{
			"then the machine is deleted",
			with(plan(reboot(), deletion()), owned, works("reboot", time.Hour), over(v1alpha1.ResultTimedOut, "delete"), begins("delete", 0)),
			answer{Does: "DeleteMachine 2", Last: "delete 2, asked"},
		},
		{
			"a deletion is seen before it is stored",
			with(plan(deletion()), owned, deleting(time.Second)),
			answer{Says: deletes, Last: "delete 1 made MachineSet md-0 since -1s, at work", Due: "59m59s"},
		},
		{
			"a deletion is over before it is stored",
			with(plan(deletion()), owned, goneNow),
			answer{
				Says: "Acting Acting: Step delete: waits until the machine is deleted; a person decides if that does not help",
				Last: "delete 1 made MachineSet md-0 since 0s, at work", Due: "1h0m0s",
			},
		},
		{
			"a later deletion is over before it is stored",
			with(plan(reboot(), deletion()), owned, works("reboot", time.Hour), over(v1alpha1.ResultTimedOut, "delete"), begins("delete", time.Minute), goneNow),
			answer{
				Says: "Acting WaitingForReplacement: The machine is gone; waiting for its replacement",
				Last: "delete 2 made MachineSet md-0 since -1m0s, at work", Due: "1h0m0s", Again: "1h10m0s",
			},
		},
		{
			"its owner is another one when the machine goes",
			with(plan(deletion()), owned, deleted(time.Minute), func(f *Facts) { f.Machine.Owner = otherSet() }),
			answer{Says: deletes, Last: "delete 1 made MachineSet md-1 since -1m0s, at work", Due: "59m0s", Again: "59m0s"},
		},
		{
			"the deletion hangs",
			with(plan(deletion()), owned, deleted(time.Hour)),
			answer{
				Says: "Acting DeletionOverdue: Waiting until MachineSet md-0 has replaced the machine; its deletion began at 2026-06-01T11:00:00Z and has not finished",
				Last: "delete 1 made MachineSet md-0 since -1h0m0s, at work", Due: "0s",
			},
		},
		{
			"a backup brings the machine back",
			with(plan(deletion()), owned, deleted(time.Hour), func(f *Facts) { f.Machine.DeletingSince = time.Time{} }),
			answer{
				Says: "Held NoStepLeft: No step is left; the last attempt: The machine is not healthy after 1h0m0s; a person decides", At: "2",
				Last: "delete 1 made MachineSet md-0 since -1h0m0s, TimedOut: The machine is not healthy after 1h0m0s", Free: true,
			},
		},
		{
			"the owner was asked in vain, and its mark goes before the deletion",
			with(plan(replace(), deletion()), owned, works("replace", time.Hour), over(v1alpha1.ResultTimedOut, "delete"), begins("delete", 0), marked),
			answer{Does: "WithdrawMark 2", Last: "delete 2, asked"},
		},
		{
			"somebody else has asked the owner",
			with(plan(deletion()), owned, markedByOthers),
			answer{Says: "Pending HeldByOthers: The machine is marked for MachineSet md-0", At: "delete 1", Free: true, Due: "5s", Again: "5s"},
		},
		{
			"the owner has refused somebody else",
			with(plan(deletion()), owned, markedByOthers, owner(MarkRefused, "a rollout replaces it")),
			answer{Does: "DeleteMachine 1"},
		},
		{
			"a machine of a control plane",
			with(plan(deletion()), owned, inControlPlane),
			answer{
				Says: "Held NoStepLeft: No step is left; the last attempt: Sickbay never deletes a control-plane machine: only its owner knows whether the rest can spare it; a person decides",
				At:   "2", Last: "delete 1, Impossible: Sickbay never deletes a control-plane machine: only its owner knows whether the rest can spare it", Free: true,
			},
		},
		{
			"a machine of a control plane that nobody owns",
			with(plan(replace()), orphan, inControlPlane),
			answer{
				Says: "Held NoStepLeft: No step is left; the last attempt: Sickbay never deletes a control-plane machine: only its owner knows whether the rest can spare it; a person decides",
				At:   "2", Last: "replace 1, Impossible: Sickbay never deletes a control-plane machine: only its owner knows whether the rest can spare it", Free: true,
			},
		},
		{
			"a pause before the deletion",
			with(plan(deletion()), owned, begins("delete", time.Minute), paused),
			answer{
				Says: "Pending Paused: Cluster spec.paused is set to true", At: "delete 2", Last: "delete 1, NotBegun: Cluster spec.paused is set to true", Free: true, Due: "5s", Again: "5s",
			},
		},
		{
			"a pause after the deletion",
			with(plan(deletion()), owned, deleted(time.Minute), paused),
			answer{Says: "Acting Paused: Cluster spec.paused is set to true", Last: "delete 1 made MachineSet md-0 since -1m0s, at work", Due: "59m0s", Again: "59m0s"},
		},
		{
			"the deletion of a machine that is marked is not the mark's",
			with(plan(deletion(), holdStep()), owned, deleted(time.Minute), marked),
			answer{Says: deletes, Last: "delete 1 made MachineSet md-0 since -1m0s, at work", Due: "59m0s", Again: "59m0s"},
		},
	}
}
