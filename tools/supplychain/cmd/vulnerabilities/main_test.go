package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// testDB returns a database with one made-up vulnerability.
func testDB(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("testdata/db")
	if err != nil {
		t.Fatal(err)
	}
	return "-db=file://" + dir
}

// TestRun: a vulnerability that shipped code calls is an error, one in a module that is only required is reported, and an unreachable database never
// passes silently.
func TestRun(t *testing.T) {
	closed := httptest.NewServer(http.NotFoundHandler())
	defer closed.Close()
	tests := map[string]struct {
		args      []string
		says, err string
	}{
		"called":               {[]string{testDB(t), "-ships=testdata/well,testdata/sick"}, "GO-2026-0001", "vulnerable code is called in: testdata/sick"},
		"not called":           {[]string{testDB(t), "-ships=testdata/well"}, "Your code is affected by 0 vulnerabilities", ""},
		"required by a tool":   {[]string{testDB(t), "-ships=testdata/well", "testdata/sick"}, "GO-2026-0001", ""},
		"no database":          {[]string{"-db=file:///does/not/exist", "-ships=testdata/sick"}, "NOTHING WAS CHECKED", ""},
		"no answer":            {[]string{"-db=" + closed.URL, "-ships=testdata/sick"}, "NOTHING WAS CHECKED for known vulnerabilities: it answers 404", ""},
		"required database":    {[]string{"-db=" + closed.URL, "-require", "-ships=testdata/sick"}, "", "NOTHING WAS CHECKED: it answers 404"},
		"no module":            {[]string{testDB(t)}, "", "-ships must name a module"},
		"no such module":       {[]string{testDB(t), "-ships=testdata/gone"}, "", "checking testdata/gone"},
		"no such tools module": {[]string{testDB(t), "-ships=testdata/well", "testdata/gone"}, "", "checking testdata/gone"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			err := run(t.Context(), tt.args, &out)
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("ends with %v, want %q", err, tt.err)
			}
			if !strings.Contains(out.String(), tt.says) {
				t.Errorf("says %q, want %q", &out, tt.says)
			}
		})
	}
}
