package dashboard

import (
	"net/url"
	"strconv"
	"time"

	"github.com/sickbay-dev/sickbay/internal/dashboard/view"
)

// machinesQuery parses a query for machines. It ignores what it cannot parse.
func machinesQuery(v url.Values) view.Query {
	return view.Query{
		Text: v.Get("q"), State: v.Get("state"), Cluster: v.Get("cluster"), Zone: v.Get("zone"), Check: v.Get("check"), Namespace: v.Get("namespace"),
		Sort: v.Get("sort"), Page: pageOf(v),
	}
}

// machinesURL is the inverse of machinesQuery.
func machinesURL(q view.Query) string {
	v := values("q", q.Text, "state", q.State, "cluster", q.Cluster, "zone", q.Zone, "check", q.Check, "namespace", q.Namespace, "sort", q.Sort)
	return address("/machines", v, q.Page)
}

func historyQuery(v url.Values) view.HistoryQuery {
	since, err := time.ParseDuration(v.Get("since"))
	if err != nil {
		since = 0
	}
	return view.HistoryQuery{Text: v.Get("q"), Since: max(0, since), Page: pageOf(v)}
}

func historyURL(q view.HistoryQuery) string {
	v := values("q", q.Text)
	if q.Since > 0 {
		v.Set("since", q.Since.String())
	}
	return address("/history", v, q.Page)
}

func simulateQuery(v url.Values) view.SimulateQuery {
	return view.SimulateQuery{
		Check: v.Get("check"), Limit: v.Get("limit"), Slots: v.Get("slots"), Timeout: v.Get("timeout"), StepTimeout: v.Get("step"), Fail: v.Get("fail"),
		Until: v.Get("until"), Takes: v.Get("takes"), InVain: v.Get("vain") != "",
	}
}

// values returns the pairs whose value is not empty.
func values(pairs ...string) url.Values {
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			v.Set(pairs[i], pairs[i+1])
		}
	}
	return v
}

func address(path string, v url.Values, page int) string {
	if page > 1 {
		v.Set("page", strconv.Itoa(page))
	}
	if len(v) == 0 {
		return path
	}
	return path + "?" + v.Encode()
}

func pageOf(v url.Values) int {
	page, err := strconv.Atoi(v.Get("page"))
	if err != nil {
		return 1
	}
	return max(1, page)
}
