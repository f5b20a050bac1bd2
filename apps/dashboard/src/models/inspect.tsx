import { paths } from "@trivium/dashboard-server/contract";
import type { MemoryFit } from "@trivium/domain";
import { useState } from "preact/hooks";
import { getJson } from "../kube/request.ts";
import { Command } from "../parts/command.tsx";
import { formatBytes } from "../parts/meter.tsx";
import { Memory } from "../service/memory.tsx";
import "../styles/service.css";

interface Inspected {
  readonly source: string;
  readonly format: string;
  readonly bytes: number;
  readonly architecture?: string;
  readonly parameters?: number;
  readonly quantization?: string;
  readonly maxContext?: number;
  readonly variants?: readonly { readonly quantization: string; readonly bytes: number }[];
  /** What serving it needs, against this machine. */
  readonly memory?: MemoryFit;
}

/** Reads the headers of a model where it lies, before anything is fetched. */
export function Inspect() {
  const [found, setFound] = useState<Inspected>();
  const [failure, setFailure] = useState("");
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const source = String(new FormData(event.currentTarget as HTMLFormElement).get("source") ?? "").trim();
    setBusy(true);
    setFailure("");
    setFound(undefined);
    try {
      setFound(await getJson<Inspected>(paths.inspect, { method: "POST", body: JSON.stringify({ source }) }));
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error));
    }
    setBusy(false);
  };
  return (
    <section class="card" aria-labelledby="inspect">
      <h2 id="inspect">Inspect a model</h2>
      <form class="ask" onSubmit={submit}>
        <label class="sr-only" htmlFor="source">
          Hub id or URL
        </label>
        <input id="source" name="source" required placeholder="Qwen/Qwen2.5-0.5B-Instruct-GGUF, or a URL" />
        <button type="submit" class="primary" disabled={isBusy}>
          {isBusy ? "Reading …" : "Inspect"}
        </button>
      </form>
      {failure !== "" && (
        <p class="notice" role="alert">
          {failure}
        </p>
      )}
      {found !== undefined && (
        <>
          <Facts model={found} />
          {found.memory !== undefined && <Memory fit={found.memory} />}
          <p class="muted">Serve it:</p>
          <Command text={`trivium run ${found.source}`} />
        </>
      )}
    </section>
  );
}

function Facts({ model }: { readonly model: Inspected }) {
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["Source", model.source],
    ["Format", `${model.format}, ${formatBytes(model.bytes)}`],
    ["Architecture", model.architecture],
    ["Parameters", model.parameters?.toLocaleString()],
    ["Quantization", model.quantization],
    ["Context", model.maxContext === undefined ? undefined : `${model.maxContext} tokens`],
    ["Quantizations", model.variants?.map((one) => `${one.quantization} (${formatBytes(one.bytes)})`).join(", ")],
  ];
  return (
    <dl class="facts">
      {rows.flatMap(([name, value]) =>
        value === undefined || value === "" ? [] : [<dt key={name}>{name}</dt>, <dd key={`${name} value`}>{value}</dd>],
      )}
    </dl>
  );
}
