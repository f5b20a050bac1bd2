/** A state as a coloured dot and its word: colour is never the only sign. */
export const Status = ({ status }: { readonly status: string }) => (
  <span class={`status status-${status.toLowerCase()}`}>{status}</span>
);

const apiNames: Readonly<Record<string, string>> = {
  aim: "AIM",
  "aim-eai": "AIM (eai)",
  ome: "OME",
  llmkube: "LLMKube",
};

export const apiName = (api: string): string => apiNames[api] ?? api;

export const Api = ({ api }: { readonly api: string }) => <span class={`tag tag-${api}`}>{apiName(api)}</span>;
