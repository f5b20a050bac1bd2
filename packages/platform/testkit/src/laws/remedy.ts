import type { Condition } from "@trivium/kube";
import type { StatusGuide } from "@trivium/reconcile";
import type { Law } from "./law.ts";
import { conditionsOf } from "./shape.ts";

/**
 * Where a person has to act, the status names the object at fault and says what to do. Looked at are the condition that sums up and
 * those that report what is wrong; what a reason means for a person is in the guide of the dialect.
 */
export const remedy: Law = ({ decide, guide }) => {
  if (guide === undefined) return [];
  const demanding = conditionsOf(decide()).filter((condition) => isForPerson(condition, guide));
  return demanding.flatMap(({ type, reason, message }) => [
    ...(hasInstruction(message) ? [] : [`${type} (${reason}) says nothing of what to do: ${message}`]),
    ...(namesObject(message) ? [] : [`${type} (${reason}) names no object and no field: ${message}`]),
  ]);
};

function isForPerson({ type, status, reason }: Condition, { summary, faults, meanings }: StatusGuide): boolean {
  const isUnwell = faults.includes(type) ? status === "True" : type === summary && status !== "True";
  return isUnwell && meanings.action.includes(reason);
}

const verbs =
  /^(?:add|allow|apply|ask|change|check|choose|convert|correct|create|delete|enable|enlarge|expand|fix|free|give|grant|install|label|list|lower|make|mark|mount|move|name|pick|pin|provide|publish|push|raise|read|reduce|remove|rename|repair|replace|restart|retry|run|see|set|start|uncordon|update|upload|use|wait|widen|write)\b/i;

/** Whether a part of a message tells a person what to do. */
export const isInstruction = (part: string): boolean => verbs.test(part);

/** An instruction follows the cause: "…; create it, or change spec.source". */
export const hasInstruction = (message: string): boolean =>
  message
    .split(/; |\. |, or /)
    .slice(1)
    .some(isInstruction);

const kinds = [
  ...[
    "Container",
    "Deployment",
    "Gateway",
    "Image",
    "Job",
    "KServe",
    "Knative",
    "Model",
    "Namespace",
    "Node",
    "Pod",
    "Secret",
  ],
  ...["Service", "Template", "container", "namespace", "node", "label"],
].join("|");

const objectForms = [
  String.raw`\b(?:${kinds}|[A-Z][a-z]+[A-Z]\w+|[A-Z]{2,}\w+) "?[a-z0-9{]`,
  // A field, an address, an image.
  String.raw`\b[a-z]\w*\.[a-z]\w+`,
  String.raw`\w:\/\/\w`,
  String.raw`\b[\w.-]+\/[\w.-]+`,
];
const objectForm = new RegExp(objectForms.join("|"));

/** A kind with a name, a field, or a place. */
export const namesObject = (message: string): boolean => objectForm.test(message);
