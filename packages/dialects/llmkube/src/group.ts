/** Where the kinds of this dialect live in the API; spread into each definition. */
export const group = { group: "inference.llmkube.dev", version: "v1alpha1" } as const;
