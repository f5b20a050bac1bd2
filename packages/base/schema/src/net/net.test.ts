import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cidrContainsIp, formatIp, type Ip, parseCidr, parseIp } from "./ip.ts";
import { hostnameOf, parseGoUrl, portOf } from "./url.ts";

test("addresses in every form have one canonical form", () => {
  const rows = [
    ["1.2.3.4", "1.2.3.4"],
    ["::", "::"],
    ["::1", "::1"],
    ["2001:DB8:0:0:0:0:0:1", "2001:db8::1"],
    ["1:0:0:2:0:0:0:3", "1:0:0:2::3"],
    ["::ffff:1.2.3.4", "::ffff:102:304"],
    ["1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"],
  ];
  for (const [text, canonical] of rows) assert.equal(formatIp(parseIp(text as string) as Ip), canonical, text);
  for (const text of [
    "",
    "1.2.3",
    "256.1.1.1",
    "01.2.3.4",
    ":::",
    "1::2::3",
    "::g",
    "1:2:3:4:5:6:7:8:9",
    "1:2:3:4:5:6:7",
    "fe80::1%eth0",
    "12345::",
  ]) {
    assert.equal(parseIp(text), undefined, text);
  }
});

test("formatting and parsing are inverse, and a network holds its own addresses", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), fc.integer({ min: 0, max: 128 }), (value, length) => {
      const ip: Ip = { bits: 128, value };
      assert.deepEqual(parseIp(formatIp(ip)), ip);
      const cidr = parseCidr(`${formatIp(ip)}/${length}`);
      assert.ok(cidr && cidrContainsIp(cidr, ip));
    }),
  );
  for (const text of ["1.2.3.4", "1.2.3.4/33", "::/129", "1.2.3.4/", "1.2.3.4/08"])
    assert.equal(parseCidr(text), undefined, text);
});

test("URLs are read as Go reads request URIs", () => {
  assert.deepEqual(parseGoUrl("HTTP://u:p@h:80/a%20b?q=1#f"), {
    scheme: "http",
    host: "h:80",
    path: "/a%20b",
    query: "q=1#f",
  });
  const url = parseGoUrl("https://[::1]:8443/x");
  assert.ok(url);
  assert.deepEqual([hostnameOf(url), portOf(url)], ["::1", "8443"]);
  for (const text of ["", "x", "http://a b", "http://a/%zz", "http://a:b/", "http://[::1/", "a\nb"])
    assert.equal(parseGoUrl(text), undefined, text);
});
