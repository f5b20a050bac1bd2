import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import type { ApiRequest } from "@trivium/kube";
import { startChromium } from "@trivium/testkit";
import { startFixture } from "./fixture.ts";

/** Logs in with the token of the address and says as whom, as the page of the dashboard does. */
const script = `
const token = new URLSearchParams(location.hash.slice(1)).get("start");
history.replaceState(null, "", location.pathname);
const headers = { "x-trivium-request": "1", "content-type": "application/json" };
const answer = await fetch("/session", { method: "POST", headers, body: JSON.stringify({ token }) });
const session = await answer.json();
document.querySelector("h1").textContent = session.user?.name ?? session.error.code;
`;
const page = {
  "index.html":
    '<!doctype html><link rel="icon" href="data:,"><h1></h1><script type="module" src="/assets/app.js"></script>',
  "assets/app.js": script,
};

/** Everything that a page of another port of this machine can try: it is of the same site, so the browser sends the cookie. */
const attack = (origin: string) => `<!doctype html><title>evil</title>
<iframe src="${origin}/"></iframe><img src="${origin}/k8s/api/v1/pods"><script src="${origin}/k8s/api/v1/nodes"></script>
<form method=post enctype="text/plain" action="${origin}/k8s/api/v1/namespaces"><input name='{"metadata":{"name":"evil"},"x":"' value='"}'></form>
<script>
const path = "${origin}/k8s/api/v1/configmaps";
Promise.allSettled([
  fetch(path, { credentials: "include" }),
  fetch(path, { credentials: "include", mode: "no-cors" }),
  fetch(path, { method: "POST", credentials: "include", headers: { "x-trivium-request": "1" }, body: "{}" }),
  fetch(path, { method: "POST", credentials: "include", mode: "no-cors", body: "{}" }),
]).then(() => document.forms[0].submit());
</script>`;

test("in a real browser the address logs in once, and a page of another port cannot drive the dashboard", async (t) => {
  const chromium = await startChromium();
  if (chromium.is === "missing") return t.skip(`skipped: ${chromium.why}`);
  t.after(() => chromium.stop());
  const sent: ApiRequest[] = [];
  const fixture = await startFixture({
    assets: page,
    around: (transport) => (request) => {
      sent.push(request);
      return transport(request);
    },
  });
  t.after(() => fixture.stop());
  const origin = `http://127.0.0.1:${fixture.port}`;
  const own = await chromium.open();
  await own.page.goto(`${origin}/#start=${fixture.tokens[0]}`);
  await own.page.getByRole("heading", { name: "trivium-admin" }).waitFor();
  assert.equal(own.page.url(), `${origin}/`);
  assert.equal(await own.page.evaluate("document.cookie"), "", "no script reads the session");
  assert.equal(await own.page.evaluate("fetch('/k8s/api/v1/pods').then((r) => r.status)"), 200);
  assert.deepEqual(own.faults, []);

  const evil = createServer((_, response) =>
    response.writeHead(200, { "content-type": "text/html" }).end(attack(origin)),
  );
  await once(evil.listen(0, "127.0.0.1"), "listening");
  t.after(() => evil.close());
  sent.length = 0;
  const foreign = await own.page.context().newPage();
  const refused = foreign.waitForResponse((response) => response.url() === `${origin}/k8s/api/v1/namespaces`);
  await foreign.goto(`http://127.0.0.1:${(evil.address() as AddressInfo).port}/`);
  assert.equal((await refused).status(), 403, "the form, sent after all other attempts, was refused");
  assert.deepEqual(sent, [], "nothing of it reached the API");
});
