import { formatAge, statusWords } from "@trivium/explain";
import type { AnyObject } from "@trivium/kube";
import { collectionPathOf, serviceKindOf } from "../kube/apis.ts";
import { now } from "../kube/clock.ts";
import { apiOf } from "../kube/dialects.ts";
import { withHead } from "../kube/with-head.ts";
import { useTables } from "../live/use-tables.ts";
import { Empty, type EmptyProps, Loading } from "../parts/empty.tsx";
import { Api, apiName, Status } from "../parts/status.tsx";
import { TabLinks } from "../parts/tab-links.tsx";
import { route } from "../routing/location.ts";
import { formatRoute, type ServiceTab, serviceTabs } from "../routing/route.ts";
import { useStanding } from "../services/used-objects.ts";
import { ChatTab } from "./chat/chat-tab.tsx";
import { LogsTab } from "./logs/logs-tab.tsx";
import { MetricsTab } from "./metrics-tab.tsx";
import { SummaryTab } from "./summary-tab.tsx";
import { TimelineTab } from "./timeline-tab.tsx";
import { useExplained } from "./use-explained.ts";
import { YamlTab } from "./yaml/yaml-tab.tsx";
import "../styles/service.css";

const titles: Readonly<Record<ServiceTab, string>> = {
  summary: "Summary",
  timeline: "Timeline",
  yaml: "YAML",
  logs: "Logs",
  metrics: "Metrics",
  chat: "Playground",
};

/** One service: why it is in its state, what it consists of, and what a person can do with it. */
export function ServicePage() {
  const current = route.value;
  if (current.page !== "service") return null;
  const api = apiOf(current.api);
  if (api === undefined) return <NotFound name={current.name}>The API {current.api} is unknown.</NotFound>;
  return <Known key={formatRoute({ ...current, tab: "summary" })} api={api} />;
}

function Known({ api }: { readonly api: NonNullable<ReturnType<typeof apiOf>> }) {
  const current = route.value;
  if (current.page !== "service") return null;
  const { namespace, name, tab } = current;
  const kind = serviceKindOf(api);
  const paths = [
    collectionPathOf(kind, namespace),
    `/api/v1/namespaces/${namespace}/events`,
    `/api/v1/namespaces/${namespace}/pods`,
    ...api.kinds.filter((one) => one !== kind).map((one) => collectionPathOf(one, namespace)),
  ];
  const [services, events, ...around] = useTables(paths);
  const found = services?.objects.get(`${namespace}/${name}`);
  const { explained, failure } = useExplained(current, [found, ...around.map(({ objects }) => objects)]);
  if (found === undefined)
    return services?.is === "waiting" ? (
      <Loading what={name} />
    ) : (
      <NotFound name={name} command={`trivium get -n ${namespace}`}>
        {services?.failure ??
          `${kind.kind} ${name} does not exist in namespace ${namespace}. This lists the services there:`}
      </NotFound>
    );
  const object = withHead(kind, found);
  return (
    <div class="page">
      <Head object={object} api={api.api} />
      <Tabs tab={tab} />
      {failure !== undefined && (
        <p class="notice" role="alert">
          {failure}
        </p>
      )}
      {tab === "summary" && <SummaryTab object={object} explained={explained} />}
      {tab === "timeline" && (
        <TimelineTab object={object} explained={explained} events={[...(events?.objects.values() ?? [])]} />
      )}
      {tab === "yaml" && <YamlTab object={object} kind={kind} />}
      {tab === "logs" && <LogsTab explained={explained} />}
      {tab === "metrics" && <MetricsTab model={`${namespace}/${name}`} />}
      {tab === "chat" && <ChatTab model={`${namespace}/${name}`} />}
    </div>
  );
}

interface NotFoundProps extends Omit<EmptyProps, "title"> {
  readonly name: string;
}

const NotFound = ({ name, ...empty }: NotFoundProps) => (
  <div class="page">
    <h1 tabIndex={-1}>{name}</h1>
    <Empty title="Not found" {...empty} />
  </div>
);

function Head({ object, api }: { readonly object: AnyObject; readonly api: string }) {
  const { name, namespace, creationTimestamp: created = "" } = object.metadata;
  const { is, word } = useStanding(object);
  return (
    <div class="service-head">
      <p class="muted">
        <a href="#/services">Services</a> / {namespace}
      </p>
      <div class="page-head">
        <h1 tabIndex={-1}>{name}</h1>
        <Status status={statusWords[is]} />
        <Api api={api} />
        {word !== statusWords[is] && (
          <span class="muted">
            {apiName(api)} reports {word}
          </span>
        )}
        <span class="muted" title={new Date(created).toLocaleString()}>
          {object.kind}, created {formatAge(now.value - Date.parse(created))} ago
        </span>
      </div>
    </div>
  );
}

function Tabs({ tab }: { readonly tab: ServiceTab }) {
  const current = route.value;
  if (current.page !== "service") return null;
  return (
    <TabLinks
      class="tabs"
      label="Views of the service"
      links={serviceTabs.map((one) => ({
        title: titles[one],
        href: formatRoute({ ...current, tab: one }),
        isCurrent: one === tab,
      }))}
    />
  );
}
