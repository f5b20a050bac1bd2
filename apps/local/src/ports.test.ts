import assert from "node:assert/strict";
import { it } from "node:test";
import { type KeptPorts, type PortRequest, portsToTry } from "./ports.ts";

const kept = { requested: { api: 7443, gateway: 0 }, taken: { api: 41_000, gateway: 42_000 } };

it("the port of the last start comes first where any free port will do, and only for the same request", () => {
  const rows: readonly [PortRequest, KeptPorts, readonly number[]][] = [
    [{ of: "api", port: 7443, isAnyAllowed: true }, {}, [7443, 0]],
    [{ of: "api", port: 7443, isAnyAllowed: true }, kept, [41_000, 7443, 0]],
    [{ of: "api", port: 7443 }, kept, [7443]],
    [{ of: "api", port: 9000, isAnyAllowed: true }, kept, [9000, 0]],
    [{ of: "gateway", port: 0 }, kept, [42_000, 0]],
    [{ of: "gateway", port: 0 }, {}, [0]],
    [{ of: "dashboard", port: 8100, isAnyAllowed: true }, kept, [8100, 0]],
  ];
  for (const [request, before, expected] of rows) assert.deepEqual(portsToTry(request, before), expected);
});
