import { Empty } from "../parts/empty.tsx";
import { Plot } from "../plots/plot.tsx";
import { useRates } from "../plots/use-rates.ts";
import { session } from "../session/session.ts";

/** What the gateway counts for this service, from now on. */
export function MetricsTab({ model }: { readonly model: string }) {
  const { points, failure } = useRates(model);
  if (session.value?.features?.hasGatewayMetrics !== true)
    return (
      <Empty title="No metrics" command={`trivium top ${model.split("/")[1]} -n ${model.split("/")[0]}`}>
        Requests and tokens per second are plotted here where the dashboard reads the metrics of a gateway. This prints
        what the service itself reports:
      </Empty>
    );
  const x = points.map(({ at }) => at);
  return (
    <div class="grid">
      {failure !== undefined && <p class="notice grid-wide">{failure}</p>}
      <Plot
        title="Requests per second"
        x={x}
        lines={[
          { name: "all", values: points.map(({ requests }) => requests) },
          { name: "failed", values: points.map(({ failures }) => failures) },
        ]}
      />
      <Plot
        title="Tokens per second"
        x={x}
        lines={[{ name: "generated", values: points.map(({ tokens }) => tokens) }]}
      />
      <Plot
        title="Requests in progress"
        x={x}
        lines={[{ name: "now", values: points.map(({ inFlight }) => inFlight) }]}
      />
    </div>
  );
}
