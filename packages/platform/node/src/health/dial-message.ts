const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connect: connection refused",
  ECONNRESET: "read: connection reset by peer",
  EHOSTUNREACH: "connect: no route to host",
  ENETUNREACH: "connect: network is unreachable",
  EADDRNOTAVAIL: "connect: cannot assign requested address",
  EACCES: "connect: permission denied",
  ETIMEDOUT: "i/o timeout",
};

/** What went wrong between us and an address, in the words that a kubelet has for it. */
export function dialMessage(error: unknown, authority: string): string {
  const { code = "", message = String(error) } = error as NodeJS.ErrnoException;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return `dial tcp: lookup ${authority.replace(/:\d+$/, "")}: no such host`;
  if (code === "ECONNRESET" || code === "EPIPE") return "EOF";
  return `dial tcp ${authority}: ${words[code] ?? message}`;
}

export const authorityOf = (host: string, port: number): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
