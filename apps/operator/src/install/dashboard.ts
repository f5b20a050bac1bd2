/** A row of the dashboard: what it shows, and the query. */
const panels: readonly { readonly title: string; readonly query: string; readonly unit: string }[] = [
  { title: "Reconcile passes by outcome", query: "sum by (outcome) (rate(trivium_passes_total[5m]))", unit: "ops" },
  {
    title: "Duration of passes (p99)",
    query: "histogram_quantile(0.99, sum by (le, reconciler) (rate(trivium_pass_seconds_bucket[5m])))",
    unit: "s",
  },
  { title: "Objects waiting for a pass", query: "sum by (reconciler) (trivium_queue_depth)", unit: "short" },
  { title: "Writes by kind", query: "sum by (kind, verb) (rate(trivium_writes_total[5m]))", unit: "ops" },
  { title: "Watches started", query: "sum by (resource, how) (rate(trivium_watch_starts_total[5m]))", unit: "ops" },
  { title: "Cached objects", query: "sum by (resource) (trivium_cached_objects)", unit: "short" },
  { title: "Leaders", query: "sum (trivium_is_leader)", unit: "short" },
  {
    title: "Requests by model and status",
    query: "sum by (model, code) (rate(trivium_gateway_requests_total[5m]))",
    unit: "reqps",
  },
  {
    title: "Time to first token (p95)",
    query:
      "histogram_quantile(0.95, sum by (le, model) (rate(trivium_gateway_time_to_first_token_seconds_bucket[5m])))",
    unit: "s",
  },
  {
    title: "Duration of requests (p95)",
    query: "histogram_quantile(0.95, sum by (le, model) (rate(trivium_gateway_request_seconds_bucket[5m])))",
    unit: "s",
  },
  {
    title: "Time in the queue (p95)",
    query: "histogram_quantile(0.95, sum by (le, model) (rate(trivium_gateway_queue_seconds_bucket[5m])))",
    unit: "s",
  },
  { title: "Tokens", query: "sum by (model, kind) (rate(trivium_gateway_tokens_total[5m]))", unit: "short" },
  { title: "Requests in progress", query: "sum by (model) (trivium_gateway_in_flight)", unit: "short" },
  { title: "Requests waiting for a replica", query: "sum (trivium_gateway_held)", unit: "short" },
  { title: "Errors by reason", query: "sum by (model, reason) (rate(trivium_gateway_errors_total[5m]))", unit: "ops" },
  {
    title: "Downloads of node agents, bytes",
    query: "sum by (namespace, name) (rate(model_agent_download_bytes_total[5m]))",
    unit: "Bps",
  },
  {
    title: "Failed downloads of node agents",
    query: "sum by (namespace, name) (rate(model_agent_downloads_failed_total[5m]))",
    unit: "ops",
  },
  { title: "Refused requests", query: "sum by (reason) (rate(trivium_gateway_refused_total[5m]))", unit: "ops" },
];

export const dashboardQueries: readonly string[] = panels.map(({ query }) => query);

/** The dashboard, as Grafana imports it. */
export function formatDashboard(): string {
  const datasource = { type: "prometheus", uid: "$" + "{datasource}" };
  return JSON.stringify(
    {
      uid: "trivium",
      title: "Trivium",
      tags: ["trivium"],
      schemaVersion: 39,
      time: { from: "now-1h", to: "now" },
      templating: { list: [{ name: "datasource", type: "datasource", query: "prometheus" }] },
      panels: panels.map(({ title, query, unit }, at) => ({
        id: at + 1,
        title,
        type: "timeseries",
        datasource,
        gridPos: { x: (at % 2) * 12, y: Math.floor(at / 2) * 8, w: 12, h: 8 },
        fieldConfig: { defaults: { unit }, overrides: [] },
        targets: [{ refId: "A", expr: query, datasource }],
      })),
    },
    undefined,
    2,
  );
}
