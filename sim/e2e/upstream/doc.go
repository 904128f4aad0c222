// Package upstream tests Sickbay beside Cluster API's own health check controller, which a world runs for nobody
// else.
package upstream
