package prometheus

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
)

// Alert is an alert that a rule has raised.
type Alert struct {
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	State       string            `json:"state"`
}

// Name returns the name of its rule.
func (a Alert) Name() string { return a.Labels["alertname"] }

// Firing returns the alerts that fire now, without the pending ones.
func (p *Process) Firing(ctx context.Context) ([]Alert, error) {
	var answer struct {
		Alerts []Alert `json:"alerts"`
	}
	if err := p.ask(ctx, "/api/v1/alerts", &answer); err != nil {
		return nil, err
	}
	var firing []Alert
	for _, a := range answer.Alerts {
		if a.State == "firing" {
			firing = append(firing, a)
		}
	}
	return firing, nil
}

// Series is one series in the result of a query.
type Series struct {
	Metric map[string]string `json:"metric"`
	// Value is the time, and the value as a string.
	Value [2]any `json:"value"`
}

// Query evaluates an expression now.
func (p *Process) Query(ctx context.Context, query string) ([]Series, error) {
	var answer struct {
		Result []Series `json:"result"`
	}
	err := p.ask(ctx, "/api/v1/query?query="+url.QueryEscape(query), &answer)
	return answer.Result, err
}

// ask decodes the data of an answer.
func (p *Process) ask(ctx context.Context, path string, into any) error {
	body, err := p.get(ctx, path)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	envelope := struct {
		Data any `json:"data"`
	}{into}
	if err := json.NewDecoder(body).Decode(&envelope); err != nil {
		return fmt.Errorf("reading what Prometheus says to %s: %w", path, err)
	}
	return nil
}
