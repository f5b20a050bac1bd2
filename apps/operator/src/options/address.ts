/** Where a server listens. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** `127.0.0.1:9440`, `[::1]:9440`, or `:9440` for every address of the machine. */
export function parseAddress(text: string): Address | undefined {
  const [, inBrackets, plain = "", digits] = /^(?:\[([^\]]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) return undefined;
  return { host: inBrackets ?? (plain === "" ? "::" : plain), port };
}

export function formatAddress({ host, port }: Address): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
