import assert from "node:assert/strict";
import { test } from "node:test";
import { parseListing } from "./s3-listing.ts";

test("a page is read with its escapes and its continuation", () => {
  const xml = `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><EncodingType>url</EncodingType>
<Contents><Key>a/b+c%26d.bin</Key><Size>12</Size><ETag>&quot;e1&quot;</ETag></Contents>
<Contents><Key>z</Key><Size>0</Size></Contents><IsTruncated>true</IsTruncated><NextContinuationToken>t&amp;1=</NextContinuationToken></ListBucketResult>`;
  assert.deepEqual(parseListing(xml), {
    objects: [
      { key: "a/b c&d.bin", size: 12, etag: '"e1"' },
      { key: "z", size: 0, etag: undefined },
    ],
    next: "t&1=",
  });
});

test("what is no listing is none", () => {
  assert.equal(parseListing("<html>hello</html>"), undefined);
  assert.equal(
    parseListing("<ListBucketResult><Contents><Key>a</Key><Size>x</Size></Contents></ListBucketResult>"),
    undefined,
  );
  assert.equal(
    parseListing(
      "<ListBucketResult><EncodingType>url</EncodingType><Contents><Key>%zz</Key><Size>1</Size></Contents></ListBucketResult>",
    ),
    undefined,
  );
});

test("is not held up by openings without an end", () => {
  const hostile = `<ListBucketResult>${"<Contents>".repeat(300_000)}`;
  const began = performance.now();
  assert.equal(parseListing(hostile), undefined);
  assert.ok(performance.now() - began < 2_000);
});
