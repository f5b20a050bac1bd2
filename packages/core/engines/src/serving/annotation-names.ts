/** What any service can ask for by annotation where its API has no field. The same names in every dialect. */
export const servingAnnotations = {
  /** Share of requests, 0 to 100, that the newest template gets until it is 100 or removed. */
  canaryPercent: "trivium.dev/canary-percent",
  /** Scale to zero after so long without a request. */
  idleTimeout: "trivium.dev/idle-timeout",
  /** LoRA adapters: names, or name=source, separated by commas. */
  adapters: "trivium.dev/adapters",
  /** `none`, `local`, or the Service of a Redis that replicas share. */
  promptCache: "trivium.dev/prompt-cache",
  /** The Gateway that a route of the service is for. */
  gateway: "trivium.dev/gateway",
  /** `true`: no pods until it is removed, whatever requests arrive. */
  stopped: "trivium.dev/stopped",
} as const;
