package rights

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// claims says where each right of each role is used: in a package of scenarios, or elsewhere, and why.
//
//go:embed claims.txt
var claims string

// elsewhere is the place of rights that no scenario uses; such a claim has a reason.
const elsewhere = "-"

// Claim says where a right of a role is used.
type Claim struct {
	Role, Right, Where, Reason string
}

// Claims returns all claims, in the order of the table.
func Claims() ([]Claim, error) {
	var all []Claim
	for line := range strings.Lines(claims) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) < 4 {
			return nil, fmt.Errorf("the claim %q has no role, verb, resource and place", line)
		}
		claim := Claim{Role: fields[0], Right: fields[1] + " " + fields[2], Where: fields[3], Reason: strings.Join(fields[4:], " ")}
		if (claim.Where == elsewhere) != (claim.Reason != "") {
			return nil, fmt.Errorf("the claim %q needs a reason if it is of no scenario, and only then", line)
		}
		all = append(all, claim)
	}
	return all, nil
}

// CheckDenied returns an error that names everything that was denied.
func (l *Log) CheckDenied() error {
	var errs []error
	for account, denied := range l.Denied {
		for right, request := range denied {
			errs = append(errs, fmt.Errorf("a right is missing: %s may not %s: %s", account, right, request))
		}
	}
	return errors.Join(errs...)
}

// CheckClaims returns an error that names each right that a package of scenarios claims to use but does not. If an account has a right
// through several roles, nobody can tell which of them needs it, so its use counts for none of them.
func (l *Log) CheckClaims(where string, accounts []Account) error {
	all, err := Claims()
	if err != nil {
		return err
	}
	var errs []error
	for _, claim := range all {
		if claim.Where == where && !slices.ContainsFunc(accounts, func(a Account) bool { return l.used(a, claim) }) {
			errs = append(errs, fmt.Errorf("a right is surplus, or claims.txt is wrong: no scenario here has had role %s %s", claim.Role, claim.Right))
		}
	}
	return errors.Join(errs...)
}

// used reports whether an account has used a right that it has only through the role of the claim.
func (l *Log) used(a Account, claim Claim) bool {
	for right := range l.Allowed[a.Name] {
		var by []string
		matches := false
		for _, role := range a.Roles {
			for _, given := range role.Rights() {
				if given.covers(right) {
					by = append(by, role.Name)
					matches = matches || role.Name == claim.Role && given.String() == claim.Right
				}
			}
		}
		if matches && len(slices.Compact(by)) == 1 {
			return true
		}
	}
	return false
}
