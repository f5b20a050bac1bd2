/** Cases, by the folder of their kind, whose status asks a person to act without the object or the remedy. Mend the message and remove them. */
export const withoutRemedy: Readonly<Record<string, readonly string[]>> = {
  "fine-tuned-weight": ["bad-uri", "claim-without-namespace", "node-gone"],
  "inference-service": [
    "bad-placeholder",
    "claim-of-others",
    "keda-bad-threshold",
    "unknown-autoscaler",
    "w20-rdma-unknown",
    "w21-model-init-unset",
    "weights-bad-uri",
    "weights-claim-elsewhere",
    "weights-merged-with-others",
    "weights-unknown-strategy",
  ],
  model: [
    "a06-node-gone",
    "a20-bad-uri",
    "a20-relative-path",
    "a25-no-path",
    "a27-claim-of-others",
    "a27-claim-without-namespace",
  ],
};
