package rights

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
)

// TestClaims: each granted right is claimed, and no other. A list is claimed with its watch, because a cache lists if the server cannot
// stream the initial objects.
func TestClaims(t *testing.T) {
	roles, err := Roles()
	if err != nil {
		t.Fatal(err)
	}
	claims, err := Claims()
	if err != nil {
		t.Fatal(err)
	}
	claimed := map[string]bool{}
	for _, claim := range claims {
		key := claim.Role + " may " + claim.Right
		if claimed[key] {
			t.Errorf("%s is claimed twice", key)
		}
		claimed[key] = true
		granted := slices.ContainsFunc(roles[claim.Role].Rights(), func(r Right) bool { return r.String() == claim.Right })
		if !granted {
			t.Errorf("%s is claimed, and not granted", key)
		}
	}
	for name, role := range roles {
		for _, right := range role.Rights() {
			watch := right
			watch.Verb = "watch"
			if key := name + " may "; !claimed[key+right.String()] && (right.Verb != "list" || !claimed[key+watch.String()]) {
				t.Errorf("%s%s is granted, and not claimed: nobody knows what for", key, right)
			}
		}
	}
}

// TestReasons: the tests that reasons name exist.
func TestReasons(t *testing.T) {
	claims, err := Claims()
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile(`\b(Test\w+) in ((?:config|internal|sim|e2e)[\w/]*)`)
	for _, claim := range claims {
		if claim.Where != elsewhere {
			continue
		}
		named := name.FindStringSubmatch(claim.Reason)
		if named == nil {
			t.Errorf("the reason %q names no test and its package", claim.Reason)
			continue
		}
		dir := filepath.Join("..", "..", named[2])
		if strings.HasPrefix(named[2], "e2e") {
			dir = filepath.Join("..", named[2])
		}
		files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := slices.ContainsFunc(files, func(file string) bool {
			code, err := os.ReadFile(file)
			return err == nil && strings.Contains(string(code), "func "+named[1]+"(")
		})
		if !found {
			t.Errorf("there is no %s in %s", named[1], named[2])
		}
	}
}

// TestLog: a denied right is missing; an allowed right supports a claim only if the account has it through one role.
func TestLog(t *testing.T) {
	dir := t.TempDir()
	line := func(account, verb, group, resource, decision string) string {
		return `{"verb":"` + verb + `","requestURI":"/x","user":{"username":"system:serviceaccount:sickbay-system:` + account + `"},"objectRef":{"apiGroup":"` +
			group + `","resource":"` + resource + `","namespace":"blue"},"annotations":{"authorization.k8s.io/decision":"` + decision + `"}}` + "\n"
	}
	content := line("a", "get", "", "secrets", "allow") + line("a", "get", "x", "both", "allow") + line("a", "delete", "x", "machines", "forbid") +
		strings.ReplaceAll(line("a", "get", "x", "machines", "forbid"), "sickbay-system:a", "elsewhere:a")
	if err := os.WriteFile(filepath.Join(dir, "audit.log"), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := ReadLog(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := log.CheckDenied(); err == nil || !strings.Contains(err.Error(), "a may not delete machines.x") || strings.Contains(err.Error(), "get machines.x") {
		t.Errorf("denied: %v", err)
	}
	rule := func(group, resource string) rbacv1.PolicyRule {
		return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{resource}, Verbs: []string{"get", "watch"}}
	}
	account := Account{Name: "a", Roles: []Role{
		{Name: "one", Rules: []rbacv1.PolicyRule{rule("", "secrets"), rule("x", "both")}}, {Name: "other", Rules: []rbacv1.PolicyRule{rule("x", "both")}},
	}}
	for claim, want := range map[Claim]bool{
		{Role: "one", Right: "get secrets"}:   true,
		{Role: "one", Right: "watch secrets"}: false,
		{Role: "one", Right: "get both.x"}:    false, // nobody can tell by which role
		{Role: "other", Right: "get secrets"}: false,
	} {
		if got := log.used(account, claim); got != want {
			t.Errorf("%+v: used is %v, want %v", claim, got, want)
		}
	}
}

// TestForArgs: an account has the roles of the controllers that run, the role that all need, and those that flags require.
func TestForArgs(t *testing.T) {
	for args, want := range map[string]string{
		"":                           "manager machinehealth machinehealthcheck remediation upgradepause reboot intake",
		"--controllers=upgradepause": "manager upgradepause",
		"--controllers=remediation,reboot,intake":                   "manager remediation reboot intake",
		"--controllers=upgradepause --dashboard-bind-address=:8444": "manager dashboard upgradepause",
		"--controllers=upgradepause --dashboard-bind-address=0":     "manager upgradepause",
	} {
		account, err := ForArgs(false, nil, strings.Fields(args)...)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, role := range account.Roles {
			names = append(names, role.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
	onOpenShift, err := ForArgs(true, nil, "--controllers=reboot")
	if err != nil || len(onOpenShift.Roles) != 3 || onOpenShift.Roles[2].Name != "reboot-openshift" {
		t.Errorf("on OpenShift: %+v, error %v", onOpenShift.Roles, err)
	}
}
