// Package upstream tests Sickbay beside Cluster API's own health check controller, which worlds normally do not
// run.
package upstream
