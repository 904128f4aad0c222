package rights

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// policy makes the API server log the requests of Sickbay's accounts, and no others.
const policy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
omitManagedFields: true
rules:
- level: Metadata
  userGroups: ["system:serviceaccounts:` + Namespace + `"]
  resources: [{group: "*"}]
- level: None
`

// AuditArgs writes the policy to a directory, and returns the arguments that make an API server keep its log there.
func AuditArgs(dir string) (map[string]string, error) {
	file := filepath.Join(dir, "audit-policy.yaml")
	if err := os.WriteFile(file, []byte(policy), 0o600); err != nil {
		return nil, fmt.Errorf("writing the audit policy: %w", err)
	}
	return map[string]string{"audit-policy-file": file, "audit-log-path": filepath.Join(dir, "audit.log")}, nil
}

// Log is what accounts requested, by account name.
type Log struct {
	Allowed, Denied map[string]map[Right]string
}

// entry is the part of an audit log entry that matters.
type entry struct {
	Verb       string
	RequestURI string
	User       struct{ Username string }
	ObjectRef  *struct{ APIGroup, Resource, Subresource, Namespace, Name string }
	// Annotations say what the authorizer decided. The status 403 is not enough, because a namespace in deletion causes it,
	// too.
	Annotations map[string]string
}

// ReadLog reads an API server's log from a directory.
func ReadLog(dir string) (*Log, error) {
	files, err := filepath.Glob(filepath.Join(dir, "audit*.log"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("finding the audit log in %s: %d files, error %w", dir, len(files), err)
	}
	log := &Log{Allowed: map[string]map[Right]string{}, Denied: map[string]map[Right]string{}}
	for _, file := range files {
		if err := log.read(file); err != nil {
			return nil, fmt.Errorf("reading the audit log: %w", err)
		}
	}
	return log, nil
}

func (l *Log) read(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e entry
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return err
		}
		l.add(e)
	}
	return lines.Err()
}

func (l *Log) add(e entry) {
	account, ours := strings.CutPrefix(e.User.Username, "system:serviceaccount:"+Namespace+":")
	if !ours || e.ObjectRef == nil {
		return
	}
	right := Right{Group: e.ObjectRef.APIGroup, Resource: e.ObjectRef.Resource, Verb: e.Verb, Local: e.ObjectRef.Namespace == Namespace}
	if right.Resource == "leases" {
		right.Name = e.ObjectRef.Name
	}
	if e.ObjectRef.Subresource != "" {
		right.Resource += "/" + e.ObjectRef.Subresource
	}
	into := l.Allowed
	if e.Annotations["authorization.k8s.io/decision"] != "allow" {
		into = l.Denied
	}
	if into[account] == nil {
		into[account] = map[Right]string{}
	}
	into[account][right] = e.RequestURI
}
