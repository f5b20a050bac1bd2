// Metrics of pods for autoscalers, from what Prometheus has collected: the providers of the Prometheus adapter behind a server of the
// custom metrics API. The adapter's own command does not compile with the server library of this Kubernetes release.
package main

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"time"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/klog/v2"
	basecmd "sigs.k8s.io/custom-metrics-apiserver/pkg/cmd"
	"sigs.k8s.io/prometheus-adapter/pkg/client"
	"sigs.k8s.io/prometheus-adapter/pkg/config"
	provider "sigs.k8s.io/prometheus-adapter/pkg/custom-provider"
	"sigs.k8s.io/prometheus-adapter/pkg/naming"
)

func main() {
	server := &basecmd.AdapterBase{Name: "prometheus-adapter"}
	flags := server.Flags()
	address := flags.String("prometheus-url", "http://127.0.0.1:9090", "address of Prometheus")
	path := flags.String("config", "", "file with the rules that turn series into metrics")
	relist := flags.Duration("metrics-relist-interval", time.Minute, "how often the names of series are read")
	age := flags.Duration("metrics-max-age", time.Minute, "how old a series can be")
	check(flags.Parse(os.Args))

	stopped := genericapiserver.SetupSignalContext()
	base := must(url.Parse(*address))
	api := withoutTimeout{client.NewGenericAPIClient(http.DefaultClient, base, nil)}
	prometheus := client.NewClientForAPI(api, http.MethodGet)
	rules := must(config.FromFile(*path)).Rules
	mapper := must(server.RESTMapper())
	namers := must(naming.NamersFromConfig(rules, mapper))
	metrics, runner := provider.NewPrometheusProvider(mapper, must(server.DynamicClient()), prometheus, namers, *relist, *age)
	runner.RunUntil(stopped.Done())
	server.WithCustomMetrics(metrics)
	check(server.Run(stopped))
}

// withoutTimeout leaves out the time limit of a query: this release of the adapter computes a negative one, which Prometheus refuses.
type withoutTimeout struct{ client.GenericAPIClient }

func (api withoutTimeout) Do(ctx context.Context, verb, endpoint string, query url.Values) (client.APIResponse, error) {
	query.Del("timeout")
	return api.GenericAPIClient.Do(ctx, verb, endpoint, query)
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		klog.Fatal(err)
	}
}
