import type { Signal } from "@preact/signals";
import { apis } from "../kube/dialects.ts";
import { apiName } from "../parts/status.tsx";
import type { countStatuses, TableView } from "./service-table.ts";

export interface FiltersProps {
  readonly view: Signal<TableView>;
  readonly counts: ReturnType<typeof countStatuses>;
  /** APIs that have services; the others need no filter. */
  readonly used: ReadonlySet<string>;
}

export function ServiceFilters({ view, counts, used }: FiltersProps) {
  const { filter, apis: chosenApis, statuses } = view.value;
  const change = (part: Partial<TableView>) => {
    view.value = { ...view.value, ...part };
  };
  return (
    <search class="filters">
      <label class="field">
        <span class="sr-only">Filter services</span>
        <input
          type="search"
          placeholder="Filter by name, model, cause …"
          value={filter}
          onInput={({ currentTarget }) => change({ filter: currentTarget.value })}
        />
      </label>
      <fieldset class="chips">
        <legend class="sr-only">API</legend>
        {apis
          .filter(({ api }) => used.has(api) || chosenApis.includes(api))
          .map(({ api }) => (
            <Chip key={api} isOn={chosenApis.includes(api)} toggle={() => change({ apis: toggled(chosenApis, api) })}>
              {apiName(api)}
            </Chip>
          ))}
      </fieldset>
      <fieldset class="chips">
        <legend class="sr-only">Status</legend>
        {counts.map(({ status, count }) => (
          <Chip
            key={status}
            isOn={statuses.includes(status)}
            toggle={() => change({ statuses: toggled(statuses, status) })}
          >
            {`${status} ${count}`}
          </Chip>
        ))}
      </fieldset>
    </search>
  );
}

interface ChipProps {
  readonly isOn: boolean;
  readonly children: string;
  toggle(): void;
}

const Chip = ({ isOn, toggle, children }: ChipProps) => (
  <button type="button" class="chip" aria-pressed={isOn} onClick={toggle}>
    {children}
  </button>
);

const toggled = (all: readonly string[], one: string): string[] =>
  all.includes(one) ? all.filter((each) => each !== one) : [...all, one];
