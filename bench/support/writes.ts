import type { Pool } from "undici";
import { type Pace, pace } from "./calls.ts";
import { service, servicesPath } from "./services.ts";

/** Creates so many AIMServices. Every answer means that the object is on the disk. */
export function creates(pool: Pool, count: number, first = 0): Promise<Pace> {
  return pace(pool, count, (at) => {
    const name = `service-${first + at}`;
    return { method: "POST", path: servicesPath, body: service(name, first + at) };
  });
}

/** Applies AIMServices, half of them new and half of them a change to one that was applied before. */
export function applies(pool: Pool, count: number): Promise<Pace> {
  const half = Math.floor(count / 2);
  return pace(pool, count, (at) => {
    const name = `applied-${at % half}`;
    return {
      method: "PATCH",
      path: `${servicesPath}/${name}?fieldManager=bench&force=true`,
      type: "application/apply-patch+yaml",
      body: service(name, at),
    };
  });
}
