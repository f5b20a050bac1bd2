export interface StatusProps {
  readonly status: string;
  /** The word of an object that has words of its own. */
  readonly word?: string;
}

/** A state as a coloured dot and its word: colour is never the only sign. */
export const Status = ({ status, word = status }: StatusProps) => (
  <span class={`status status-${status.toLowerCase()}`}>{word}</span>
);

const apiNames: Readonly<Record<string, string>> = {
  aim: "AIM",
  "aim-eai": "AIM (eai)",
  ome: "OME",
  llmkube: "LLMKube",
};

export const apiName = (api: string): string => apiNames[api] ?? api;

export const Api = ({ api }: { readonly api: string }) => <span class={`tag tag-${api}`}>{apiName(api)}</span>;
