import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { startChromium } from "@trivium/testkit";

const policy = "default-src 'none'; script-src 'self'; connect-src 'self'";

test("a real browser runs the scripts of a page, keeps to its policy and reports what fails", async (t) => {
  const chromium = await startChromium();
  if (chromium.is === "missing") return t.skip(`skipped: ${chromium.why}`);
  t.after(() => chromium.stop());
  const server = createServer((request, response) => {
    const isScript = request.url === "/app.js";
    response.writeHead(200, {
      "content-type": isScript ? "text/javascript" : "text/html; charset=utf-8",
      "content-security-policy": policy,
    });
    response.end(
      isScript
        ? "document.querySelector('h1').textContent = 'żółw ' + (6 * 7);"
        : "<!doctype html><html lang=en><title>t</title><h1>empty</h1><script src=/app.js></script><script>evil = 1</script></html>",
    );
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => server.close());
  const { page, faults, close } = await chromium.open({ viewport: { width: 390, height: 800 } });
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  assert.equal(await page.getByRole("heading").textContent(), "żółw 42");
  assert.match(faults.join("\n"), /Content Security Policy/, "the inline script was refused");
  const { width } = (await page.getByRole("heading").boundingBox()) ?? { width: 0 };
  assert.ok(width > 100 && width < 390, "text has a size: there are fonts");
  await close();
});
