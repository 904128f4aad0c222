package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const mit = `MIT License

Copyright (c) 2026 Somebody

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
`

const gpl = `This program is free software: you can redistribute it and/or modify
it under the terms of the GNU General Public License as published by
the Free Software Foundation, either version 3 of the License, or
(at your option) any later version.

This program is distributed in the hope that it will be useful,
but WITHOUT ANY WARRANTY; without even the implied warranty of
MERCHANTABILITY or FITNESS FOR A PARTICULAR PURPOSE.  See the
GNU General Public License for more details.

You should have received a copy of the GNU General Public License
along with this program.  If not, see <https://www.gnu.org/licenses/>.
`

// TestRefused: a license that is not allowed, a missing one and an unknown one are refused, with the name of the module.
func TestRefused(t *testing.T) {
	tests := map[string]struct {
		files map[string]string
		want  string
	}{
		"allowed":             {map[string]string{"LICENSE": mit}, ""},
		"allowed, and more":   {map[string]string{"LICENSE": mit, "NOTICE": "Made by somebody.", "PATENTS": "Granted."}, ""},
		"not allowed":         {map[string]string{"LICENSE": gpl}, "example.com/m: its license GPL-3.0-or-later is not one of"},
		"not allowed, within": {map[string]string{"LICENSE": mit, "third_party/x/COPYING": gpl}, "example.com/m: its license GPL-3.0-or-later is not one of"},
		"none":                {map[string]string{"NOTICE": "Made by somebody."}, "example.com/m: no license was found in NOTICE"},
		"something":           {map[string]string{"LICENSE": "Do what is right. " + mit[:300]}, "example.com/m: its license (unknown: LICENSE) is not one of"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			m := &module{path: "example.com/m", files: map[string][]byte{}}
			for file, text := range tt.files {
				m.files[file] = []byte(text)
			}
			got := strings.Join(refused([]*module{m}), "\n")
			if (got == "") != (tt.want == "") || !strings.HasPrefix(got, tt.want) {
				t.Errorf("says %q, want %q", got, tt.want)
			}
		})
	}
}

// TestNotices: each text occurs once, with all modules that have it.
func TestNotices(t *testing.T) {
	one := &module{path: "example.com/one", files: map[string][]byte{"LICENSE": []byte(mit)}}
	two := &module{path: "example.com/two", files: map[string][]byte{"LICENSE.md": []byte("\n" + strings.ReplaceAll(mit, "\n", "\r\n")), "NOTICE": []byte("Made by somebody.")}}
	text, err := notices([]*module{one, two})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(text); strings.Count(got, "Permission is hereby") != 1 || !strings.Contains(got, "example.com/one (LICENSE): MIT\nexample.com/two (LICENSE.md): MIT\n") || !strings.Contains(got, "example.com/two (NOTICE)\n") || !strings.Contains(got, "Made by somebody.") {
		t.Errorf("the notices are %s", got)
	}
	if _, err := notices(nil); err == nil {
		t.Error("no notices are no error")
	}
}

// TestModules: the modules of a program are found, with their licenses.
func TestModules(t *testing.T) {
	all, err := modules(".", []string{"."}, "linux", "windows")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, m := range all {
		found = append(found, m.path+" "+strings.Join(m.licenses(), " "))
	}
	if want := []string{"github.com/google/licensecheck BSD-3-Clause", standard + " BSD-3-Clause"}; !slices.Equal(found, want) {
		t.Errorf("it is made of %q, want %q", found, want)
	}
}

// TestRun: notices are written, and compared.
func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "notices")
	args := []string{"-binary=.", "-notices=" + file, "-libraries=."}
	var out bytes.Buffer
	if err := run(args, &out); err == nil || !strings.Contains(err.Error(), "is out of date: run make licenses LICENSES=-write") {
		t.Errorf("without notices it ends with %v", err)
	}
	if err := run(append(args, "-write"), &out); err != nil {
		t.Fatal(err)
	}
	if err := run(args, &out); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(args, &out); err == nil {
		t.Error("old notices are no error")
	}
	if want := "2 modules are in the binary: 2 BSD-3-Clause\n"; !strings.Contains(out.String(), want) {
		t.Errorf("it says %q", &out)
	}
	if err := run([]string{"-binary=."}, &out); err == nil {
		t.Error("a missing flag is no error")
	}
}

// TestGiven: packages for tests do not count until a package that users get imports them.
func TestGiven(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/m\n\ngo 1.26\n\nrequire example.com/other v0.0.0\n\nreplace example.com/other => ./other\n")
	write("other/go.mod", "module example.com/other\n\ngo 1.26\n")
	write("other/other.go", "package other\n")
	write("internal/testing/aid/aid.go", "package aid\n\nimport _ \"example.com/other\"\n")
	used := func() []string {
		t.Helper()
		packages, err := given(dir)
		if err != nil {
			t.Fatal(err)
		}
		all, err := modules(dir, packages, "")
		if err != nil {
			t.Fatal(err)
		}
		var paths []string
		for _, m := range all {
			paths = append(paths, m.path)
		}
		return paths
	}
	write("api/api.go", "package api\n")
	if paths := used(); slices.Contains(paths, "example.com/other") {
		t.Errorf("%q are counted, and one of them serves tests only", paths)
	}
	write("api/api.go", "package api\n\nimport _ \"example.com/m/internal/testing/aid\"\n")
	if paths := used(); !slices.Contains(paths, "example.com/other") {
		t.Errorf("%q are counted, and a package that users get imports one more", paths)
	}
}
