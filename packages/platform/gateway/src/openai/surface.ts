/** The paths of the OpenAI API and its neighbours whose JSON body says which model is meant. */
const byModel: ReadonlySet<string> = new Set([
  "/v1/chat/completions",
  "/v1/completions",
  "/v1/embeddings",
  "/v1/responses",
  "/v1/rerank",
  "/v2/rerank",
  "/rerank",
  "/v1/score",
  "/score",
  "/v1/classify",
  "/v1/moderations",
  "/v1/audio/speech",
  "/v1/images/generations",
  "/v1/messages",
  "/v1/tokenize",
  "/v1/detokenize",
]);

/** Computations without a trace: asking a second server for the same costs time and nothing else. */
const repeatable: ReadonlySet<string> = new Set([
  "/v1/chat/completions",
  "/v1/completions",
  "/v1/embeddings",
  "/v1/rerank",
  "/v2/rerank",
  "/rerank",
  "/v1/score",
  "/score",
  "/v1/classify",
  "/v1/moderations",
  "/v1/tokenize",
  "/v1/detokenize",
]);

export type OpenAiCall =
  | { readonly is: "list" }
  | { readonly is: "model"; readonly id: string }
  | { readonly is: "dispatch"; readonly isRepeatable: boolean };

/** What a path of the OpenAI surface asks for; nothing when it is none. */
export function openAiCall(path: string): OpenAiCall | undefined {
  if (byModel.has(path)) return { is: "dispatch", isRepeatable: repeatable.has(path) };
  if (path === "/v1/models") return { is: "list" };
  if (!path.startsWith("/v1/models/")) return undefined;
  try {
    return { is: "model", id: decodeURIComponent(path.slice("/v1/models/".length)) };
  } catch {
    return undefined;
  }
}
