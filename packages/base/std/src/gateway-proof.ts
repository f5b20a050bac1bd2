import { sha256Hex } from "./hash.ts";

/** The header by which the gateway tells a model server that it has accepted the caller. */
export const gatewayHeader = "x-trivium-gateway";

/**
 * What the header holds: made of the token that both sides have and of the address that the request is sent to, so that a
 * server that is not ours, and gets requests too, learns nothing that another server would believe.
 */
export function gatewayProof(token: string, authority: string): string {
  return sha256Hex(`${token}\n${authority}`);
}
