import { signal, useComputed } from "@preact/signals";
import { Empty, Loading } from "../parts/empty.tsx";
import { Notices } from "../parts/notices.tsx";
import { VirtualTable } from "../parts/virtual-rows.tsx";
import { ServiceFilters } from "./filters.tsx";
import { ServiceHead, ServiceLine } from "./service-line.tsx";
import { countStatuses, defaultView, viewRows } from "./service-table.ts";
import { useServiceRows } from "./use-rows.ts";

/** Kept while other pages are shown. */
const view = signal(defaultView);

/** All services of all dialects in one table. */
export function ServicesPage() {
  const { rows, isKnown, failures } = useServiceRows();
  const shown = useComputed(() => viewRows(rows.value, view.value));
  const counts = countStatuses(rows.value);
  return (
    <div class="page page-tall">
      <div class="page-head">
        <h1 tabIndex={-1}>Services</h1>
        <p class="muted" role="status">
          {shown.value.length === rows.value.length
            ? `${rows.value.length} ${rows.value.length === 1 ? "service" : "services"}`
            : `${shown.value.length} of ${rows.value.length} services`}
        </p>
      </div>
      <ServiceFilters view={view} counts={counts} used={new Set(rows.value.map(({ api }) => api))} />
      <Notices of={failures} />
      <VirtualTable
        caption="Services"
        columns={8}
        head={<ServiceHead view={view} />}
        rows={shown.value}
        row={(row, at) => <ServiceLine key={`${row.api}/${row.namespace}/${row.name}`} row={row} at={at} />}
      >
        {!isKnown ? <Loading what="services" /> : <NoServices hasAny={rows.value.length > 0} />}
      </VirtualTable>
    </div>
  );
}

const NoServices = ({ hasAny }: { readonly hasAny: boolean }) =>
  hasAny ? (
    <Empty title="No service matches">Change the filter above to see more.</Empty>
  ) : (
    <Empty title="No services yet" command="trivium run qwen2.5-0.5b-instruct">
      This table shows the services of AIM, OME and LLMKube with their state, and why one does not serve. Start a first
      one:
    </Empty>
  );
