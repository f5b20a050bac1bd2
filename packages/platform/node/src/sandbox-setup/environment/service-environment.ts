import type { Service } from "@trivium/kube";

/** The variables by which a pod finds Services without asking for their names: `REDIS_SERVICE_HOST`, `REDIS_PORT_6379_TCP`, … */
export function environmentOfServices(services: readonly Service[]): Map<string, string> {
  const variables = new Map<string, string>();
  for (const service of services) addService(variables, service);
  return variables;
}

function addService(variables: Map<string, string>, { metadata, spec }: Service): void {
  const { clusterIP = "", ports = [] } = spec ?? {};
  const [first] = ports;
  if (clusterIP === "" || clusterIP === "None" || first === undefined) return;
  const prefix = variableName(metadata.name ?? "");
  const host = clusterIP.includes(":") ? `[${clusterIP}]` : clusterIP;
  variables.set(`${prefix}_SERVICE_HOST`, clusterIP);
  variables.set(`${prefix}_SERVICE_PORT`, String(first.port));
  for (const { name, port } of ports) {
    if (name) variables.set(`${prefix}_SERVICE_PORT_${variableName(name)}`, String(port));
  }
  const protocolOf = (port: { protocol?: string | undefined }) => (port.protocol ?? "TCP").toLowerCase();
  variables.set(`${prefix}_PORT`, `${protocolOf(first)}://${host}:${first.port}`);
  for (const each of ports) {
    const protocol = protocolOf(each);
    const name = `${prefix}_PORT_${each.port}_${protocol.toUpperCase()}`;
    variables.set(name, `${protocol}://${host}:${each.port}`);
    variables.set(`${name}_PROTO`, protocol);
    variables.set(`${name}_PORT`, String(each.port));
    variables.set(`${name}_ADDR`, clusterIP);
  }
}

const variableName = (name: string): string => name.replaceAll("-", "_").toUpperCase();
