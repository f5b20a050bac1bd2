import type { ServiceRow } from "@trivium/explain";
import { podsPath } from "../kube/scope.ts";
import { useTables } from "../live/use-tables.ts";
import { DownloadList } from "../models/download-list.tsx";
import { addNodes, summarizeNodes } from "../nodes/capacity.ts";
import { Empty, Loading } from "../parts/empty.tsx";
import { formatBytes, formatCount, Meter, whatMetersCount } from "../parts/meter.tsx";
import { Notices } from "../parts/notices.tsx";
import { Api, Status } from "../parts/status.tsx";
import { useRates } from "../plots/use-rates.ts";
import { formatRoute } from "../routing/route.ts";
import { countStatuses } from "../services/service-table.ts";
import { useServiceRows } from "../services/use-rows.ts";
import { session } from "../session/session.ts";

/** What serves, what does not and why, and how much of the machines is in use. */
export function OverviewPage() {
  const { rows, isKnown, failures } = useServiceRows();
  const all = rows.value;
  return (
    <div class="page">
      <div class="page-head">
        <h1 tabIndex={-1}>Overview</h1>
        {session.value?.server !== undefined && <span class="muted">{session.value.server}</span>}
      </div>
      <Notices of={failures} />
      {isKnown && all.length === 0 && failures.length === 0 ? (
        <Empty title="Nothing is served yet" command="trivium run qwen2.5-0.5b-instruct">
          This page shows what serves, what does not and why, and how much of the machines is in use. Start a first
          service:
        </Empty>
      ) : (
        <div class="grid">
          <Services rows={all} isKnown={isKnown} />
          <Traffic />
          <Capacity />
          <Unwell rows={all} />
          <DownloadList />
        </div>
      )}
    </div>
  );
}

const Services = ({ rows, isKnown }: { readonly rows: readonly ServiceRow[]; readonly isKnown: boolean }) => (
  <section class="card" aria-labelledby="services">
    <h2 id="services">
      <a href="#/services">Services</a>
    </h2>
    {isKnown ? (
      <ul class="figures-list">
        {countStatuses(rows).map(({ status, count }) => (
          <li key={status}>
            <strong class="figure">{count}</strong> <Status status={status} />
          </li>
        ))}
      </ul>
    ) : (
      <Loading what="services" />
    )}
  </section>
);

/** The gateway's figures, where this dashboard reaches one. */
function Traffic() {
  const { points } = useRates();
  const last = points.at(-1);
  if (session.value?.features?.hasGatewayMetrics !== true) return null;
  return (
    <section class="card" aria-labelledby="traffic">
      <h2 id="traffic">Traffic now</h2>
      <ul class="figures-list">
        <Figure value={last?.requests} unit="requests/s" />
        <Figure value={last?.tokens} unit="tokens/s" />
        <Figure value={last?.inFlight} unit="in progress" />
      </ul>
    </section>
  );
}

const Figure = ({ value, unit }: { readonly value: number | undefined; readonly unit: string }) => (
  <li>
    <strong class="figure">{value === undefined ? "–" : formatCount(value < 100 ? value : Math.round(value))}</strong>{" "}
    <span class="muted">{unit}</span>
  </li>
);

function Capacity() {
  const tables = useTables(["/api/v1/nodes", podsPath()]);
  const [nodes = [], pods = []] = tables.map(({ objects }) => [...objects.values()]);
  const isKnown = tables.every(({ is }) => is !== "waiting");
  const refused = tables.find(({ is }) => is === "refused");
  const { cpu, memory, gpus } = addNodes(summarizeNodes(nodes, pods));
  return (
    <section class="card" aria-labelledby="capacity">
      <h2 id="capacity">
        <a href="#/nodes">Capacity</a>
      </h2>
      {refused !== undefined ? (
        <p class="muted">{refused.failure}</p>
      ) : isKnown ? (
        <>
          <p class="muted">{whatMetersCount}</p>
          <Meter label="GPUs" {...gpus} format={formatCount} />
          <Meter label="Memory" {...memory} format={formatBytes} />
          <Meter label="CPU" {...cpu} format={formatCount} />
        </>
      ) : (
        <Loading what="nodes" />
      )}
    </section>
  );
}

const needsAction = ["Failed", "Degraded"];

const Unwell = ({ rows }: { readonly rows: readonly ServiceRow[] }) => {
  const unwell = rows.filter(({ status }) => needsAction.includes(status));
  return (
    <section class="card grid-wide" aria-labelledby="action">
      <h2 id="action">Needs action</h2>
      {unwell.length === 0 ? (
        <p class="muted">No service needs action.</p>
      ) : (
        <ul class="causes">
          {unwell.slice(0, 50).map(({ api, namespace, name, status, cause }) => (
            <li key={`${api} ${namespace} ${name}`}>
              <Status status={status} />
              <a href={formatRoute({ page: "service", api, namespace, name, tab: "summary" })}>{name}</a>
              <span class="muted">{namespace}</span>
              <Api api={api} />
              <p>{cause}</p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
};
