import type { ServiceRow } from "@trivium/explain";
import { podsPath } from "../kube/scope.ts";
import { useTables } from "../live/use-tables.ts";
import { DownloadList } from "../models/download-list.tsx";
import { addNodes, summarizeNodes } from "../nodes/capacity.ts";
import { describeUsage, useUsage } from "../nodes/use-usage.ts";
import { CopyButton } from "../parts/command.tsx";
import { Empty, Loading } from "../parts/empty.tsx";
import { formatBytes, formatCount, Meter, whatMetersCount } from "../parts/meter.tsx";
import { Notices } from "../parts/notices.tsx";
import { Api, Status } from "../parts/status.tsx";
import { useRates } from "../plots/use-rates.ts";
import { formatRoute } from "../routing/route.ts";
import { asShortCurl } from "../service/chat/request.ts";
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
          <Causes rows={all} title="Needs action" of={["Failed", "Degraded"]} none="No service needs action." />
          <Causes rows={all} title="In progress" of={["Progressing"]} />
          <Serving rows={all} />
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
  const inUse = describeUsage([...useUsage().values()]);
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
          {inUse !== undefined && <p>{inUse}</p>}
        </>
      ) : (
        <Loading what="nodes" />
      )}
    </section>
  );
}

interface CausesProps {
  readonly rows: readonly ServiceRow[];
  readonly title: string;
  readonly of: readonly string[];
  /** Shown where there are none; without it the list is left out. */
  readonly none?: string;
}

/** What does not serve, each with its one cause. */
function Causes({ rows, title, of, none }: CausesProps) {
  const found = rows.filter(({ status }) => of.includes(status));
  if (found.length === 0 && none === undefined) return null;
  return (
    <section class="card grid-wide" aria-label={title}>
      <h2>{title}</h2>
      {found.length === 0 && <p class="muted">{none}</p>}
      <ul class="causes">
        {found.slice(0, mostCauses).map((row) => (
          <li key={keyOf(row)}>
            <Status status={row.status} />
            <ServiceLink row={row} />
            <p>{row.cause}</p>
          </li>
        ))}
      </ul>
      <More count={found.length - mostCauses} />
    </section>
  );
}

const [mostCauses, mostServing] = [50, 10];

/** What answers requests, and how to send the first one. */
function Serving({ rows }: { readonly rows: readonly ServiceRow[] }) {
  const serving = rows.filter(({ status }) => status === "Ready" || status === "Idle");
  const { hasGateway, gatewayAddress } = session.value?.features ?? {};
  if (serving.length === 0) return null;
  return (
    <section class="card grid-wide" aria-labelledby="serving">
      <h2 id="serving">Serving</h2>
      <ul class="causes">
        {serving.slice(0, mostServing).map((row) => (
          <li key={keyOf(row)}>
            <Status status={row.status} />
            <ServiceLink row={row} />
            {hasGateway === true && (
              <span class="row-actions">
                <a
                  class="quiet"
                  href={formatRoute({ ...addressOf(row), page: "service", tab: "chat" })}
                  aria-label={`Chat with ${row.name}`}
                >
                  Chat
                </a>
                {gatewayAddress !== undefined && (
                  <CopyButton text={asShortCurl(gatewayAddress, `${row.namespace}/${row.name}`)} label="Copy curl" />
                )}
              </span>
            )}
          </li>
        ))}
      </ul>
      <More count={serving.length - mostServing} />
    </section>
  );
}

const ServiceLink = ({ row }: { readonly row: ServiceRow }) => (
  <>
    <a href={formatRoute({ ...addressOf(row), page: "service", tab: "summary" })}>{row.name}</a>
    <span class="muted">{row.namespace}</span>
    <Api api={row.api} />
  </>
);

const More = ({ count }: { readonly count: number }) =>
  count > 0 ? (
    <p>
      <a href="#/services">{count} more</a>
    </p>
  ) : null;

const addressOf = ({ api, namespace, name }: ServiceRow) => ({ api, namespace, name });
const keyOf = ({ api, namespace, name }: ServiceRow): string => `${api} ${namespace} ${name}`;
