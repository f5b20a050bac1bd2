import assert from "node:assert/strict";
import { it } from "node:test";
import { ApiError } from "@trivium/kube";
import { refuseGrowth, refuseText, sizeFaultOf } from "./body-size.ts";

const keyed = (count: number, prefix = "k") =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}${at}`, "v"]));
const small = Array.from({ length: 900 }, () => keyed(100));

it("takes what is large and no more", () => {
  assert.deepEqual(
    [
      { data: keyed(20_000) },
      { data: keyed(20_001) },
      { a: keyed(15_000), b: keyed(15_000) },
      small,
      [small, small],
    ].map(sizeFaultOf),
    [undefined, "too-many-parts", "too-many-parts", undefined, "too-many-parts"],
  );
});

it("counts managed fields apart", () => {
  const object = (owned: number) => ({
    metadata: { managedFields: [{ fieldsV1: { "f:data": keyed(owned, "f:") } }] },
    data: keyed(19_000),
  });
  assert.deepEqual([object(38_000), object(41_000)].map(sizeFaultOf), [undefined, "too-many-parts"]);
  assert.doesNotThrow(() => refuseText(JSON.stringify(object(38_000))));
});

it("refuses a text before it is parsed", () => {
  assert.throws(
    () => refuseText(JSON.stringify(keyed(180_000))),
    (error) => error instanceof ApiError && error.code === 413,
  );
});

it("lets a patch change what is too large already, but not grow to it", () => {
  const [before, after] = [{ data: keyed(20_000) }, { data: keyed(20_001) }];
  assert.throws(() => refuseGrowth(after, before), ApiError);
  assert.throws(() => refuseGrowth(after, undefined), ApiError);
  assert.doesNotThrow(() => refuseGrowth(after, after));
});
