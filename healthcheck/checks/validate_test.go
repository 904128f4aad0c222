package checks_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/sickbay-dev/sickbay/healthcheck"
	"github.com/sickbay-dev/sickbay/healthcheck/checks"
)

// TestBadSettingsAreRefused by the registration, with a sentence, and before anything runs.
func TestBadSettingsAreRefused(t *testing.T) {
	type pod = *corev1.Pod
	secret := func(pod) *corev1.Secret { return &corev1.Secret{} }
	url := func(pod) string { return "" }
	list := func(pod) (client.ObjectList, []client.ListOption) { return &corev1.PodList{}, nil }
	const noFind, noRule = "its function that finds what to look at is nil", "its rule is nil"
	for name, tt := range map[string]struct {
		check healthcheck.NamedCheck[pod]
		want  string
	}{
		"self":                   {checks.Self[pod]("c", nil), noRule},
		"one of nothing":         {checks.One[pod]("c", checks.Source, nil, checks.Pod), noFind},
		"one without a rule":     {checks.One("c", checks.Source, func(p pod) pod { return p }, nil), noRule},
		"tolerance of nothing":   {checks.Self[pod]("c", checks.Tolerate[pod](time.Minute, nil)), noRule},
		"each of nothing":        {checks.Each[pod]("c", checks.Source, nil, checks.Pod), noFind},
		"each without a rule":    {checks.Each[pod, pod]("c", checks.Source, list, nil), noRule},
		"a certificate":          {checks.Certificate[pod]("c", checks.Source, nil, checks.Expiry{}), noFind},
		"certificate bytes":      {checks.CertificateBytes[pod]("c", nil, checks.Expiry{}), noFind},
		"a late warning":         {checks.Certificate("c", checks.Source, secret, checks.Expiry{Warning: day, Deadline: 2 * day}), "its Warning, 24h0m0s before the expiry, comes after its Deadline, 48h0m0s before"},
		"a late warning of TLS":  {checks.TLS("c", func(pod) (string, []string) { return "", nil }, checks.TLSProbe{Expiry: checks.Expiry{Warning: day, Deadline: 2 * day}}), "its Warning, 24h0m0s before the expiry, comes after its Deadline, 48h0m0s before"},
		"a negative deadline":    {checks.Certificate("c", checks.Source, secret, checks.Expiry{Deadline: -day}), "its Deadline is negative"},
		"a certificate poll":     {checks.Certificate("c", checks.Source, secret, checks.Expiry{Poll: 30}), "its Poll is 30ns, and at least 1s is possible"},
		"no URL":                 {checks.HTTP[pod]("c", nil, checks.HTTPProbe{}), noFind},
		"no address":             {checks.TCP[pod]("c", nil, checks.TCPProbe{}), noFind},
		"no names":               {checks.TLS[pod]("c", nil, checks.TLSProbe{}), noFind},
		"a method":               {checks.HTTP("c", url, checks.HTTPProbe{Method: "G T"}), `its Method "G T" is no HTTP method`},
		"a body":                 {checks.HTTP("c", url, checks.HTTPProbe{MaxBody: -1}), "its MaxBody is negative"},
		"a timeout":              {checks.TCP("c", url, checks.TCPProbe{Timeout: 5}), "its Timeout is 5ns, and at least 1ms is possible"},
		"a negative timeout":     {checks.HTTP("c", url, checks.HTTPProbe{Timeout: -1}), "its Timeout is negative"},
		"a time to appear":       {checks.HTTP("c", url, checks.HTTPProbe{}, checks.MissingWithin(30)), "its MissingWithin is 30ns, and at least 1s is possible"},
		"no option":              {checks.One("c", checks.Source, func(p pod) pod { return p }, checks.Pod, nil), "one of its options is nil"},
		"no option of many":      {checks.HTTP("c", url, checks.HTTPProbe{}, checks.MissingIsSkipped(), nil), "one of its options is nil"},
		"no option of each":      {checks.Each("c", checks.Source, list, checks.Pod, nil), "one of its options is nil"},
		"fine":                   {checks.HTTP("c", url, checks.HTTPProbe{}, checks.MissingWithin(0)), ""},
		"a warning switched off": {checks.Certificate("c", checks.Source, secret, checks.Expiry{Warning: -1, Deadline: day}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := tt.check.Check.(healthcheck.Validator).Validate()
			if (err == nil) != (tt.want == "") || (err != nil && err.Error() != tt.want) {
				t.Errorf("the error is %v, want %q", err, tt.want)
			}
		})
	}
}

// TestWarningComesBeforeTheDeadline, also if only the deadline is set.
func TestWarningComesBeforeTheDeadline(t *testing.T) {
	expiry := checks.Expiry{Deadline: 14 * day}
	certificate, _ := newAuthority(t).issue(t, 365*day)
	data := pemOf(certificate)
	for left, want := range map[time.Duration]healthcheck.Status{
		29 * day: healthcheck.True, 27 * day: healthcheck.Progressing, 15 * day: healthcheck.Progressing, 13 * day: healthcheck.False,
	} {
		if got := expiry.Judge(data, noon.Add(365*day-left)); got.Status != want {
			t.Errorf("with %s left it is %+v", left, got)
		}
	}
}
