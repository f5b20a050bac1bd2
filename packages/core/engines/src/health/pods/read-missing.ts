/** Something that a pod refers to and that is not there, in a node's words taken apart. */
export interface MissingReference {
  readonly kind: "Secret" | "ConfigMap" | "PersistentVolumeClaim" | "ServiceAccount";
  readonly name: string;
  /** Set where the object exists and the key does not. */
  readonly key?: string;
}

const kinds: Readonly<Record<string, MissingReference["kind"]>> = {
  secret: "Secret",
  configmap: "ConfigMap",
  persistentvolumeclaim: "PersistentVolumeClaim",
  serviceaccount: "ServiceAccount",
};

const patterns: readonly RegExp[] = [
  /couldn't find key (?<key>\S+) in (?<kind>Secret|ConfigMap) (?:[^/\s]+\/)?(?<name>[^\s,;]+)/i,
  /(?<kind>secret|configmap|persistentvolumeclaim|serviceaccount) "(?<name>[^"]+)" not found/i,
];

export function readMissing(message: string): MissingReference | undefined {
  for (const pattern of patterns) {
    const { kind = "", name = "", key } = pattern.exec(message)?.groups ?? {};
    const found = kinds[kind.toLowerCase()];
    if (found !== undefined && name !== "") return { kind: found, name, ...(key === undefined ? {} : { key }) };
  }
  return undefined;
}
