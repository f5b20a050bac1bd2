/** The Gateway that takes the routes of a service. */
export interface GatewayReference {
  /** Absent: that of the service. */
  readonly namespace?: string;
  readonly name: string;
}

export const expectedGateway = "the name of a Gateway such as main, or infra/main for one in another namespace";

const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const objectName = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;

export function parseGatewayReference(text: string): GatewayReference | undefined {
  const [first = "", second, ...rest] = text.split("/");
  if (rest.length > 0 || (second !== undefined && !label.test(first))) return undefined;
  const name = second ?? first;
  if (!objectName.test(name)) return undefined;
  return second === undefined ? { name } : { namespace: first, name };
}
