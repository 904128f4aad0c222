package ladder

import (
	"time"
)

// rowsEnded: over is over: nothing is left but the finalizer and the label.
func rowsEnded() []row {
	return []row{
		{
			"it has ended and is closed",
			with(plan(replace()), completed, func(f *Facts) { f.Record.Labels, f.Record.Finalizers = nil, nil }),
			answer{},
		},
		{
			"it has ended, and the machine is sick and marked",
			with(plan(replace()), works("replace", time.Minute), completed),
			answer{Does: "Close", Last: "replace 1 made MachineSet md-0, asked"},
		},
	}
}
