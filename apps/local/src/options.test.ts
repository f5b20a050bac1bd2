import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultDashboardPort, defaultGatewayPort } from "./options.ts";

test("the ports next to the gateway's are left for gateways of further homes", () => {
  assert.equal(defaultDashboardPort(defaultGatewayPort), 8100);
  assert.equal(defaultDashboardPort(defaultGatewayPort + 1), 8101);
  assert.deepEqual([0, 65_516, 65_535].map(defaultDashboardPort), [0, 0, 0]);
});
