package config_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// board is what is looked at of a dashboard of Grafana.
type board struct {
	UID           string `json:"uid"`
	Title         string `json:"title"`
	Description   string `json:"description"`
	SchemaVersion int    `json:"schemaVersion"`
	Templating    struct {
		List []variable `json:"list"`
	} `json:"templating"`
	Links []struct {
		URL string `json:"url"`
	} `json:"links"`
	Panels []panel `json:"panels"`
}

type variable struct {
	Name       string      `json:"name"`
	Type       string      `json:"type"`
	Definition string      `json:"definition"`
	Datasource *datasource `json:"datasource"`
}

type datasource struct {
	Type string `json:"type"`
	UID  string `json:"uid"`
}

type panel struct {
	ID          int         `json:"id"`
	Type        string      `json:"type"`
	Title       string      `json:"title"`
	Description string      `json:"description"`
	Datasource  *datasource `json:"datasource"`
	GridPos     struct {
		X, Y, W, H int
	} `json:"gridPos"`
	FieldConfig struct {
		Defaults struct {
			Unit string `json:"unit"`
		} `json:"defaults"`
	} `json:"fieldConfig"`
	Targets []target `json:"targets"`
}

type target struct {
	RefID      string      `json:"refId"`
	Datasource *datasource `json:"datasource"`
	Expr       string      `json:"expr"`
}

const (
	// schemaVersion is that of Grafana 11; later ones convert it.
	schemaVersion = 39
	// gridWidth is how many columns a dashboard has.
	gridWidth = 24
)

// dashboards are those of the chart, by their files.
func dashboards(t *testing.T) map[string]board {
	t.Helper()
	files, err := filepath.Glob("../charts/sickbay/files/grafana/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no dashboards: %v", err)
	}
	found := map[string]board{}
	for _, file := range files {
		var d board
		if err := json.Unmarshal(readFile(t, file), &d); err != nil {
			t.Fatalf("reading %s: %v", file, err)
		}
		found[file] = d
	}
	return found
}

// TestDashboards are what Grafana takes, and belong to nobody's installation.
func TestDashboards(t *testing.T) {
	all := dashboards(t)
	uids := map[string]bool{}
	for file, d := range all {
		if uids[d.UID] || d.UID == "" || d.Title == "" || d.Description == "" || d.SchemaVersion != schemaVersion {
			t.Errorf("%s has the uid %q, the title %q, the description %q, and schema version %d", file, d.UID, d.Title, d.Description, d.SchemaVersion)
		}
		uids[d.UID] = true
		if first := d.Templating.List[0]; first.Type != "datasource" || first.Name != "datasource" {
			t.Errorf("the first variable of %s is no data source: %+v", file, first)
		}
		checkGrid(t, file, d.Panels)
		checkPanels(t, file, d.Panels)
		checkVariables(t, file, d)
		checkForm(t, file)
	}
	for file, d := range all {
		for _, link := range d.Links {
			if !uids[strings.TrimPrefix(link.URL, "/d/")] {
				t.Errorf("%s links to %s, which is no dashboard", file, link.URL)
			}
		}
	}
}

// checkForm: a file is formatted in the one way that makes differences easy to read.
func checkForm(t *testing.T, file string) {
	t.Helper()
	var formatted bytes.Buffer
	data := readFile(t, file)
	if err := json.Indent(&formatted, data, "", "  "); err != nil || !bytes.Equal(data, formatted.Bytes()) {
		t.Errorf("%s is not formatted with two spaces: %v", file, err)
	}
}

// checkGrid: no panel overlaps another one, or is out of the page.
func checkGrid(t *testing.T, file string, panels []panel) {
	t.Helper()
	for i, a := range panels {
		if g := a.GridPos; g.X < 0 || g.W < 1 || g.H < 1 || g.X+g.W > gridWidth {
			t.Errorf("panel %q of %s is out of the page: %+v", a.Title, file, g)
		}
		for _, b := range panels[i+1:] {
			p, q := a.GridPos, b.GridPos
			if a.ID == b.ID {
				t.Errorf("panels %q and %q of %s have the same id", a.Title, b.Title, file)
			}
			if p.X < q.X+q.W && q.X < p.X+p.W && p.Y < q.Y+q.H && q.Y < p.Y+p.H {
				t.Errorf("panels %q and %q of %s overlap", a.Title, b.Title, file)
			}
		}
	}
}

// units are those of Grafana that are used.
var units = []string{"none", "s", "dtdurations", "percentunit", "reqps", "ops", "bytes"}

func checkPanels(t *testing.T, file string, panels []panel) {
	t.Helper()
	for _, p := range panels {
		if p.Type == "row" {
			continue
		}
		if p.Title == "" || !strings.HasSuffix(p.Description, ".") || !slices.Contains(units, p.FieldConfig.Defaults.Unit) || !isVariable(p.Datasource) {
			t.Errorf("a panel of %s has the title %q, the description %q, the unit %q, the data source %+v", file, p.Title, p.Description, p.FieldConfig.Defaults.Unit, p.Datasource)
		}
		if len(p.Targets) == 0 {
			t.Errorf("panel %q of %s asks nothing", p.Title, file)
		}
		refs := map[string]bool{}
		for _, target := range p.Targets {
			if refs[target.RefID] || target.RefID == "" || !isVariable(target.Datasource) {
				t.Errorf("a query of panel %q of %s has the refId %q, the data source %+v", p.Title, file, target.RefID, target.Datasource)
			}
			refs[target.RefID] = true
			checkQuery(t, file, target.Expr)
		}
	}
}

func isVariable(d *datasource) bool {
	return d != nil && *d == datasource{Type: "prometheus", UID: "${datasource}"}
}

// ownNames are labels whose values belong to an installation.
var ownNames = regexp.MustCompile(`\b(namespace|machinehealthcheck|cluster|machine|name|host|instance|job)(=~?|!~?)"([^"]*)"`)

// checkQuery: a query asks for metrics that exist, and names nothing that belongs to an installation.
func checkQuery(t *testing.T, file, query string) {
	t.Helper()
	if unknown := unknownMetrics(t, query); len(unknown) > 0 {
		t.Errorf("%s asks for %v", file, unknown)
	}
	for _, matcher := range ownNames.FindAllStringSubmatch(query, -1) {
		if !strings.HasPrefix(matcher[3], "$") {
			t.Errorf("%s names %s", file, matcher[0])
		}
	}
}

// dollar is a variable in a query; Grafana's own begin with two underscores.
var dollar = regexp.MustCompile(`\$([a-z]\w*)`)

// checkVariables: what is used is declared, and what is declared is used.
func checkVariables(t *testing.T, file string, d board) {
	t.Helper()
	declared, used := map[string]bool{}, map[string]bool{}
	note := func(text string) {
		for _, match := range dollar.FindAllStringSubmatch(text, -1) {
			used[match[1]] = true
		}
	}
	for _, v := range d.Templating.List {
		declared[v.Name] = true
		note(v.Definition)
		if v.Type == "query" {
			checkQuery(t, file, v.Definition)
			if !isVariable(v.Datasource) {
				t.Errorf("the variable %s of %s has the data source %+v", v.Name, file, v.Datasource)
			}
		}
	}
	for _, p := range d.Panels {
		note(p.Title)
		for _, target := range p.Targets {
			note(target.Expr)
		}
	}
	for name := range used {
		if !declared[name] {
			t.Errorf("%s uses the variable %s, which it does not declare", file, name)
		}
	}
	for name := range declared {
		if !used[name] && name != "datasource" {
			t.Errorf("%s declares the variable %s, and does not use it", file, name)
		}
	}
}
