import { statusWords } from "@trivium/explain";
import { useState } from "preact/hooks";
import { objectPathOf } from "../kube/apis.ts";
import { apiPath, send } from "../kube/request.ts";
import { useDenial } from "../kube/rights.ts";
import { Empty, Loading } from "../parts/empty.tsx";
import { formatBytes } from "../parts/meter.tsx";
import { Notices } from "../parts/notices.tsx";
import { ScrollBox } from "../parts/scroll-box.tsx";
import { Api, Status } from "../parts/status.tsx";
import { formatRoute } from "../routing/route.ts";
import { session } from "../session/session.ts";
import { Inspect } from "./inspect.tsx";
import { Progress } from "./progress.tsx";
import { useWeights, type WeightsRow } from "./use-weights.ts";
import { Verify } from "./verify.tsx";

/** Models and copies of weights of all dialects: where they come from, how far they are, which service uses them. */
export function ModelsPage() {
  const { rows, isKnown, failures } = useWeights();
  return (
    <div class="page">
      <div class="page-head">
        <h1 tabIndex={-1}>Models and weights</h1>
        <p class="muted" role="status">
          {rows.length} {rows.length === 1 ? "object" : "objects"}
          {describeSum(rows)}
        </p>
      </div>
      <Notices of={failures} />
      {session.value?.features?.hasInspect === true && <Inspect />}
      {session.value?.features?.hasVerify === true && <Verify />}
      {rows.length === 0 ? (
        isKnown ? (
          <NoModels />
        ) : (
          <Loading what="models" />
        )
      ) : (
        <ScrollBox class="table-box" label="Models and weights">
          <table class="table wrapped models">
            <thead>
              <tr>
                <th scope="col" class="names">
                  Name
                </th>
                <th scope="col" class="wide-only col-api">
                  API
                </th>
                <th scope="col" class="wide-only col-source">
                  Source
                </th>
                <th scope="col" class="col-size">
                  Size
                </th>
                <th scope="col" class="col-state">
                  Status
                </th>
                <th scope="col" class="col-place">
                  On node
                </th>
                <th scope="col" class="col-place">
                  Used by
                </th>
                <th scope="col" class="col-action">
                  Action
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.toSorted(byName).map((row) => (
                <Line key={idOf(row)} row={row} />
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </div>
  );
}

/** Of what is known to be stored; a source that several objects name counts once. */
function describeSum(rows: readonly WeightsRow[]): string {
  const sizes = new Map(rows.map(({ source, object, stored }) => [source ?? object, stored?.bytes ?? 0]));
  const sum = [...sizes.values()].reduce((total, bytes) => total + bytes, 0);
  return sum === 0 ? "" : `, ${formatBytes(sum)}`;
}

const idOf = ({ kind, object: { metadata } }: WeightsRow): string =>
  `${metadata.name} ${kind.kind} ${kind.group} ${metadata.namespace ?? ""}`;
const byName = (a: WeightsRow, b: WeightsRow): number => idOf(a).localeCompare(idOf(b));

const NoModels = () => (
  <Empty title="No models yet" command="trivium models pull Qwen/Qwen2.5-0.5B-Instruct-GGUF">
    Models and downloaded weights appear here with their progress, and with the services that use them. Fetch a first
    one:
  </Empty>
);

function Line({ row }: { readonly row: WeightsRow }) {
  const { api, kind, object, standing, source, download, stored, nodes, usedBy } = row;
  return (
    <tr>
      <th scope="row" class="names">
        {object.metadata.name}
        <br />
        <span class="muted">
          {kind.kind}
          {object.metadata.namespace === undefined ? "" : ` in ${object.metadata.namespace}`}
        </span>
      </th>
      <td class="wide-only">
        <Api api={api} />
      </td>
      <td class="anywhere wide-only">{source ?? "–"}</td>
      <td class="num" title={stored?.sha256 === undefined ? undefined : `sha256 ${stored.sha256}`}>
        {stored?.bytes === undefined ? "–" : formatBytes(stored.bytes)}
      </td>
      <td>
        <Status status={statusWords[standing.is]} />
        {download !== undefined ? (
          <Progress download={download} />
        ) : (
          standing.why !== undefined && standing.is !== "ready" && <p class="muted">{standing.why}</p>
        )}
      </td>
      <td class="anywhere">
        {nodes.length === 0 ? "–" : nodes.join(", ")}
        {stored?.claim !== undefined && <p class="muted">claim {stored.claim}</p>}
      </td>
      <td class="anywhere">
        {usedBy.length === 0 ? "–" : null}
        <ul>
          {usedBy.map(({ namespace, name }) => (
            <li key={`${namespace} ${name}`}>
              <a href={formatRoute({ page: "service", api, namespace, name, tab: "summary" })}>{name}</a>
            </li>
          ))}
        </ul>
      </td>
      <td>
        <Evict row={row} />
      </td>
    </tr>
  );
}

/** Deletes the object, and with it the weights that nothing else uses. Asked twice: a download takes long. */
function Evict({ row: { kind, object, usedBy } }: { readonly row: WeightsRow }) {
  const [step, setStep] = useState<"rest" | "asked" | "busy">("rest");
  const [failure, setFailure] = useState("");
  const { namespace, name = "" } = object.metadata;
  const denial = useDenial({ verb: "delete", kind, namespace });
  if (usedBy.length > 0) return <span class="muted">in use</span>;
  const evict = async () => {
    setStep("busy");
    await send(apiPath(objectPathOf(kind, { namespace, name })), { method: "DELETE" }).catch((error: unknown) => {
      setFailure(error instanceof Error ? error.message : String(error));
    });
    setStep("rest");
  };
  return (
    <>
      {step === "asked" ? (
        <button type="button" class="quiet danger" onClick={evict}>
          Delete {kind.kind} {name}?
        </button>
      ) : (
        <button
          type="button"
          class="quiet"
          title={denial}
          disabled={step === "busy" || denial !== undefined}
          onClick={() => setStep("asked")}
        >
          Evict
        </button>
      )}
      {failure !== "" && (
        <p class="notice" role="alert">
          {failure}
        </p>
      )}
    </>
  );
}
