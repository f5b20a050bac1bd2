import type { InferenceService } from "../../kinds/inference-service.ts";
import { serviceNameOf } from "../names/service-names.ts";

export type ServingMode = "chat" | "embedding" | "rerank";

/** What is served: as the spec says, else as its arguments say, else as its path does. */
export function servingModeOf({ spec }: InferenceService): ServingMode {
  if (spec.mode !== undefined) return spec.mode;
  const words = [...(spec.extraArgs ?? []), ...(spec.args ?? [])].map((word) => word.split("=", 1)[0]);
  if (words.includes("--reranking")) return "rerank";
  if (words.includes("--embedding") || words.includes("--embeddings")) return "embedding";
  const path = spec.endpoint?.path ?? "";
  if (path.includes("rerank")) return "rerank";
  return path.includes("embeddings") ? "embedding" : "chat";
}

const paths = { chat: "/v1/chat/completions", embedding: "/v1/embeddings", rerank: "/v1/rerank" } as const;

/** The path that the endpoint shows: the user's, unless it is the default of another mode. */
function endpointPathOf(service: InferenceService, mode: ServingMode): string {
  const { path } = service.spec.endpoint ?? {};
  return path === undefined || (path === paths.chat && mode !== "chat") ? paths[mode] : path;
}

/** Where it is reached inside the cluster. */
export function endpointOf(service: InferenceService, mode: ServingMode): string {
  const { port = 8080 } = service.spec.endpoint ?? {};
  const host = `${serviceNameOf(service)}.${service.metadata.namespace}.svc.cluster.local`;
  return `http://${host}:${port}${endpointPathOf(service, mode)}`;
}
