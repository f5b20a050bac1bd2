import { shortHash } from "./hash.ts";

/**
 * The name rules of Kubernetes. Each function returns what is wrong, in the words of the real server,
 * and an empty list for a good name.
 */
const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain = `${label}(\\.${label})*`;
const dns1035 = "[a-z]([-a-z0-9]*[a-z0-9])?";
const qualified = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const labelValue = `(${qualified})?`;
const configKey = "[-._a-zA-Z0-9]+";

const whole = (pattern: string) => new RegExp(`^${pattern}$`);
const isLabel = whole(label);
const isDns1035 = whole(dns1035);
const isQualified = whole(qualified);
const isConfigKey = whole(configKey);
/** `subdomain` backtracks on long dotted names when run as one pattern, so labels are tested one by one. */
const isSubdomain = { test: (name: string) => name.split(".").every((part) => isLabel.test(part)) };

const encoder = new TextEncoder();
/** Bytes in UTF-8, of which a character has at most three: most names need no counting. */
const isLonger = (text: string, bytes: number): boolean =>
  text.length * 3 > bytes && (text.length > bytes || encoder.encode(text).length > bytes);
/** The real server says "bytes" of labels and of qualified names with all their parts, and "characters" of all other names. */
const tooLong = (limit: number, unit: "bytes" | "characters" = "characters") => `must be no more than ${limit} ${unit}`;
const mismatch = (message: string, pattern: string, examples: readonly string[]) =>
  `${message} (e.g. ${examples.map((example) => `'${example}', `).join(" or ")}regex used for validation is '${pattern}')`;

const labelWords = mismatch(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  label,
  ["my-name", "123-abc"],
);
const subdomainWords = mismatch(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  subdomain,
  ["example.com"],
);
const dns1035Words = mismatch(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  dns1035,
  ["my-name", "abc-123"],
);
const qualifiedWords = mismatch(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  qualified,
  ["MyName", "my.name", "123-abc"],
);
const labelValueWords = mismatch(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  labelValue,
  ["MyValue", "my_value", "12345"],
);
const configKeyWords = mismatch(
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
  configKey,
  ["key.name", "KEY_NAME", "key-name"],
);

/** One part of a host name: namespaces, containers, volumes. */
export function faultsOfDnsLabel(name: string): string[] {
  const faults = isLonger(name, 63) ? [tooLong(63)] : [];
  if (isLabel.test(name)) return faults;
  return [...faults, isSubdomain.test(name) ? "must not contain dots" : labelWords];
}

/** Parts joined by dots: the names of most objects. */
export function faultsOfDnsSubdomain(name: string): string[] {
  const faults = isLonger(name, 253) ? [tooLong(253)] : [];
  return isSubdomain.test(name) ? faults : [...faults, subdomainWords];
}

/** A label that starts with a letter: the names of Services. */
export function faultsOfDns1035Label(name: string): string[] {
  const faults = isLonger(name, 63) ? [tooLong(63)] : [];
  return isDns1035.test(name) ? faults : [...faults, dns1035Words];
}

/** `name` or `prefix.example/name`: label keys, annotation keys, finalizers, resource names. */
export function faultsOfQualifiedName(text: string): string[] {
  const parts = text.split("/");
  if (parts.length > 2) {
    return [
      `a valid label key ${qualifiedWords} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const faults = parts.length === 2 ? faultsOfPrefix(parts[0] as string) : [];
  const name = parts[parts.length - 1] as string;
  if (name === "") faults.push("name part must be non-empty");
  else if (isLonger(name, 63)) faults.push(`name part ${tooLong(63, "bytes")}`);
  if (!isQualified.test(name)) faults.push(`name part ${qualifiedWords}`);
  return faults;
}

function faultsOfPrefix(prefix: string): string[] {
  if (prefix === "") return ["prefix part must be non-empty"];
  const faults = isLonger(prefix, 253) ? [tooLong(253, "bytes")] : [];
  if (!isSubdomain.test(prefix)) faults.push(subdomainWords);
  return faults.map((fault) => `prefix part ${fault}`);
}

export const faultsOfLabelKey = faultsOfQualifiedName;

export function faultsOfLabelValue(value: string): string[] {
  const faults = isLonger(value, 63) ? [tooLong(63, "bytes")] : [];
  return value === "" || isQualified.test(value) ? faults : [...faults, labelValueWords];
}

/** A key of a ConfigMap or a Secret: it becomes a file name, so it may not leave its folder. */
export function faultsOfConfigKey(key: string): string[] {
  const faults = isLonger(key, 253) ? [tooLong(253)] : [];
  if (!isConfigKey.test(key)) faults.push(configKeyWords);
  if (key === ".") faults.push("must not be '.'");
  else if (key === "..") faults.push("must not be '..'");
  else if (key.startsWith("..")) faults.push("must not start with '..'");
  return faults;
}

/**
 * `base-hash`, at most `maxLength` long: the base is cut, never the hash, so that names stay apart.
 * The hash is of `suffixSource` alone; put the base into it where two long bases may share a beginning.
 */
export function nameWithHash(base: string, suffixSource: string, maxLength = 63): string {
  const hash = shortHash(suffixSource);
  const kept = base.slice(0, Math.max(0, maxLength - hash.length - 1)).replace(/[-.]+$/, "");
  return kept === "" ? hash : `${kept}-${hash}`;
}
