import {
  addQuantity,
  compareQuantity,
  faultsOfDns1035Label,
  faultsOfDnsLabel,
  faultsOfDnsSubdomain,
  faultsOfLabelValue,
  faultsOfQualifiedName,
  parseQuantity,
  type Quantity,
  quantityToInteger,
  quantityToNumber,
  subtractQuantity,
} from "@trivium/std";
import { formatCheck } from "../../formats.ts";
import { type GoUrl, hostnameOf, parseGoUrl, portOf } from "../../net/url.ts";
import { CelError, List, Mapping, Opaque, Optional } from "../values.ts";
import { named, type Overload, overload } from "./signature.ts";

function quantityOf(text: string): Opaque {
  const quantity = parseQuantity(text);
  if (quantity === undefined)
    throw new CelError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  return new Opaque("kubernetes.Quantity", quantity);
}

const amount = (value: Opaque | bigint): Quantity =>
  typeof value === "bigint" ? { unscaled: value, exponent: 0, format: "DecimalSI" } : (value.content as Quantity);
const wrap = (quantity: Quantity) => new Opaque("kubernetes.Quantity", quantity);

const quantities: readonly Overload[] = [
  overload("quantity(string): Quantity", quantityOf),
  overload("isQuantity(string): bool", (text: string) => parseQuantity(text) !== undefined),
  overload("Quantity.isInteger(): bool", (value: Opaque) => quantityToInteger(amount(value)) !== undefined),
  overload("Quantity.asInteger(): int", (value: Opaque) => {
    const whole = quantityToInteger(amount(value));
    if (whole === undefined) throw new CelError("cannot convert value to integer");
    return whole;
  }),
  overload("Quantity.asApproximateFloat(): double", (value: Opaque) => quantityToNumber(amount(value))),
  overload("sign(Quantity): int", (value: Opaque) => BigInt(compareQuantity(amount(value), amount(0n)))),
  overload(
    "Quantity.isGreaterThan(Quantity): bool",
    (a: Opaque, b: Opaque) => compareQuantity(amount(a), amount(b)) > 0,
  ),
  overload("Quantity.isLessThan(Quantity): bool", (a: Opaque, b: Opaque) => compareQuantity(amount(a), amount(b)) < 0),
  overload("Quantity.compareTo(Quantity): int", (a: Opaque, b: Opaque) =>
    BigInt(compareQuantity(amount(a), amount(b))),
  ),
  ...["Quantity", "int"].flatMap((type) => [
    overload(`Quantity.add(${type}): Quantity`, (a: Opaque, b: Opaque | bigint) =>
      wrap(addQuantity(amount(a), amount(b))),
    ),
    overload(`Quantity.sub(${type}): Quantity`, (a: Opaque, b: Opaque | bigint) =>
      wrap(subtractQuantity(amount(a), amount(b))),
    ),
  ]),
];

const url = (value: Opaque) => value.content as GoUrl;

function queryOf({ query }: GoUrl): Mapping {
  const found = new Map<string, string[]>();
  for (const [key, value] of new URLSearchParams(query)) {
    const values = found.get(key);
    if (values === undefined) found.set(key, [value]);
    else values.push(value);
  }
  return Mapping.of([...found].map(([key, values]) => [key, List.of(values)] as const));
}

const urls: readonly Overload[] = [
  overload("url(string): URL", (text: string) => {
    const parsed = parseGoUrl(text);
    if (parsed === undefined)
      throw new CelError(
        `URL parse error during conversion from string: parse "${text.slice(0, 256)}": invalid URI for request`,
      );
    return new Opaque("kubernetes.URL", parsed);
  }),
  overload("isURL(string): bool", (text: string) => parseGoUrl(text) !== undefined),
  overload("URL.getScheme(): string", (value: Opaque) => url(value).scheme),
  overload("URL.getHost(): string", (value: Opaque) => url(value).host),
  overload("URL.getHostname(): string", (value: Opaque) => hostnameOf(url(value))),
  overload("URL.getPort(): string", (value: Opaque) => portOf(url(value))),
  overload("URL.getEscapedPath(): string", (value: Opaque) => url(value).path),
  overload("URL.getQuery(): map<string, list<string>>", (value: Opaque) => queryOf(url(value))),
];

const prefixed = (check: (text: string) => string[]) => (text: string) => check(text.replace(/-$/, "a"));
const byFormat = (name: string, words: string) => (text: string) => (formatCheck(name)?.(text) ? [] : [words]);

const formats: Readonly<Record<string, (text: string) => string[]>> = {
  dns1123Label: faultsOfDnsLabel,
  dns1123Subdomain: faultsOfDnsSubdomain,
  dns1035Label: faultsOfDns1035Label,
  qualifiedName: faultsOfQualifiedName,
  labelValue: faultsOfLabelValue,
  dns1123LabelPrefix: prefixed(faultsOfDnsLabel),
  dns1123SubdomainPrefix: prefixed(faultsOfDnsSubdomain),
  dns1035LabelPrefix: prefixed(faultsOfDns1035Label),
  uri: byFormat("uri", "invalid URI"),
  uuid: byFormat("uuid", "does not match the UUID format"),
  byte: byFormat("byte", "invalid base64"),
  date: byFormat("date", "invalid date"),
  datetime: byFormat("date-time", "invalid datetime"),
};

const formatNamed = (name: string) => new Opaque("kubernetes.NamedFormat", name);

const formatChecks: readonly Overload[] = [
  named("format.named", "(string): optional<Format>", (name: string) =>
    Object.hasOwn(formats, name) ? new Optional(formatNamed(name)) : Optional.none,
  ),
  ...Object.keys(formats).map((name) => named(`format.${name}`, "(): Format", () => formatNamed(name))),
  overload("Format.validate(string): optional<list<string>>", (format: Opaque, text: string) => {
    const faults = formats[format.content as string]?.(text) ?? [];
    return faults.length === 0 ? Optional.none : new Optional(List.of(faults));
  }),
];

const semverPattern = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/;

/** Longer texts are no versions; numbers of a million digits would take their time. */
const isSemver = (text: string) => text.length <= 256 && semverPattern.test(text);

function semverOf(text: string): string {
  if (!isSemver(text)) throw new CelError(`Invalid Semantic Version`);
  return text;
}

const part = (value: Opaque, index: number) => BigInt(semverPattern.exec(value.content as string)?.[index] ?? 0);

function compareSemver(a: Opaque, b: Opaque): number {
  for (const index of [1, 2, 3]) {
    const difference = part(a, index) - part(b, index);
    if (difference !== 0n) return difference < 0n ? -1 : 1;
  }
  const [left, right] = [a, b].map((one) => semverPattern.exec(one.content as string)?.[4]?.slice(1) ?? "") as [
    string,
    string,
  ];
  if (left === right) return 0;
  if (left === "" || right === "") return left === "" ? 1 : -1;
  return comparePrerelease(left.split("."), right.split("."));
}

function comparePrerelease(left: readonly string[], right: readonly string[]): number {
  for (const [index, one] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (one === other) continue;
    const isNumber = [/^\d+$/.test(one), /^\d+$/.test(other)];
    if (isNumber[0] && isNumber[1]) return BigInt(one) < BigInt(other) ? -1 : 1;
    if (isNumber[0] !== isNumber[1]) return isNumber[0] ? -1 : 1;
    return one < other ? -1 : 1;
  }
  return left.length < right.length ? -1 : 0;
}

const semvers: readonly Overload[] = [
  overload("semver(string): Semver", (text: string) => new Opaque("kubernetes.Semver", semverOf(text))),
  overload("isSemver(string): bool", (text: string) => isSemver(text)),
  overload("Semver.major(): int", (value: Opaque) => part(value, 1)),
  overload("Semver.minor(): int", (value: Opaque) => part(value, 2)),
  overload("Semver.patch(): int", (value: Opaque) => part(value, 3)),
  overload("Semver.isLessThan(Semver): bool", (a: Opaque, b: Opaque) => compareSemver(a, b) < 0),
  overload("Semver.isGreaterThan(Semver): bool", (a: Opaque, b: Opaque) => compareSemver(a, b) > 0),
  overload("Semver.compareTo(Semver): int", (a: Opaque, b: Opaque) => BigInt(compareSemver(a, b))),
];

export const kubernetes: readonly Overload[] = [...quantities, ...urls, ...formatChecks, ...semvers];
