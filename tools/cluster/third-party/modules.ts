/** A Go module that carries CRDs, what must come of it, and where in it that is. */
export interface ThirdPartyApiModule {
  readonly module: string;
  readonly version: string;
  /** The checksum that Go itself keeps in a `go.sum`: a version that changed behind our back is refused. */
  readonly sum: string;
  /** File in the module → names of the CRDs that are taken from it. */
  readonly files: Readonly<Record<string, readonly string[]>>;
}

const oneEach = (folder: string, group: string, plurals: readonly string[]): Record<string, readonly string[]> =>
  Object.fromEntries(plurals.map((plural) => [`${folder}/${group}_${plural}.yaml`, [`${plural}.${group}`]]));

/** Whose objects we emit, at the versions that our facts come from or the nearest that the module proxy serves. */
export const thirdPartyApiModules: readonly ThirdPartyApiModule[] = [
  {
    module: "github.com/kserve/kserve",
    version: "v0.20.0",
    sum: "h1:Bs7HxmGV4KFqqptDcWseKv+mwD4YOYHJWcuVgPG2Gug=",
    files: oneEach("config/crd/full", "serving.kserve.io", [
      "clusterservingruntimes",
      "inferenceservices",
      "servingruntimes",
    ]),
  },
  {
    module: "sigs.k8s.io/gateway-api",
    version: "v1.6.1",
    sum: "h1:mock6phZbI6rvZerwrVNk7hVNymQgHo+6sJ81Ia7ftY=",
    files: oneEach("config/crd/standard", "gateway.networking.k8s.io", [
      "gatewayclasses",
      "gateways",
      "httproutes",
      "referencegrants",
    ]),
  },
  {
    module: "sigs.k8s.io/gateway-api-inference-extension",
    version: "v1.5.0",
    sum: "h1:w9Awt60cmI1vM7Y6N81h8wDCBP0WkmxpdI7GKY0v070=",
    files: oneEach("config/crd/bases", "inference.networking.k8s.io", ["inferencepools"]),
  },
  {
    module: "github.com/kedacore/keda/v2",
    version: "v2.20.2",
    sum: "h1:SR60v8uIcelbveS8n/1jcl8tLdBBIbHMxmdOHw8tKqA=",
    files: oneEach("config/crd/bases", "keda.sh", ["scaledobjects", "triggerauthentications"]),
  },
  {
    module: "sigs.k8s.io/lws",
    version: "v0.9.0",
    sum: "h1:DcJCgxjjoGOx//QHZkeKpyiblxYq70aCRZNYSfykWyI=",
    files: oneEach("config/crd/bases", "leaderworkerset.x-k8s.io", ["leaderworkersets"]),
  },
  {
    // Knative's modules count on from before its release 1.0: this is release 1.23.
    module: "knative.dev/serving",
    version: "v0.50.0",
    sum: "h1:9XUQq2yqUPN1YZUuGH6nF8IMvuumNvGXzCrSTYu44bA=",
    files: { "config/core/300-resources/service.yaml": ["services.serving.knative.dev"] },
  },
  {
    module: "istio.io/api",
    version: "v1.31.1",
    sum: "h1:5Yb5ihcz4YQsCkciusK7DnFpBMwRB6EFWeUKH1Atuyk=",
    files: { "kubernetes/customresourcedefinitions.gen.yaml": ["virtualservices.networking.istio.io"] },
  },
  {
    module: "github.com/prometheus-operator/prometheus-operator",
    version: "v0.93.0",
    sum: "h1:AohlYJT+En8TmNpAcEUJ3GsaJTAqfEBwHmGTVpRm/Io=",
    files: oneEach("example/prometheus-operator-crd", "monitoring.coreos.com", ["podmonitors", "servicemonitors"]),
  },
];
