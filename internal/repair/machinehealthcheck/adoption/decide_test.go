package adoption

import "testing"

func TestLabelHandsOver(t *testing.T) {
	for name, tt := range map[string]struct {
		facts Facts
		want  Act
	}{
		"no label":                             {Facts{}, Nothing},
		"its Cluster":                          {Facts{Cluster: "true"}, HandOver},
		"its namespace":                        {Facts{Namespace: "true"}, HandOver},
		"its Cluster is an exception":          {Facts{Cluster: "false", Namespace: "true"}, Nothing},
		"a value that says nothing":            {Facts{Cluster: "yes"}, Nothing},
		"handed over already":                  {Facts{Cluster: "true", Paused: true, Ours: true}, Nothing},
		"somebody has paused it":               {Facts{Cluster: "true", Paused: true}, Nothing},
		"the label goes":                       {Facts{Paused: true, Ours: true}, GiveBack},
		"it becomes an exception":              {Facts{Cluster: "false", Namespace: "true", Paused: true, Ours: true}, GiveBack},
		"the label goes, a person's value":     {Facts{Paused: true}, Nothing},
		"Sickbay drains":                       {Facts{Cluster: "true", Paused: true, Ours: true, Drains: true}, GiveBack},
		"a person has unpaused it, unrecorded": {Facts{Cluster: "true", Upgrading: true}, Nothing},
		"the label goes during an upgrade":     {Facts{Paused: true, Ours: true, Upgrading: true}, LeaveToUpgrade},
		"Sickbay drains during an upgrade":     {Facts{Paused: true, Ours: true, Drains: true, Upgrading: true}, Nothing},
		"Sickbay drains, and has not begun":    {Facts{Cluster: "true", Drains: true}, Nothing},
		"Sickbay drains, and it is a persons":  {Facts{Cluster: "true", Paused: true, Drains: true}, Nothing},
	} {
		if got := Decide(tt.facts); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
}
