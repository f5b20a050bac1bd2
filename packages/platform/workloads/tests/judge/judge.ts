import assert from "node:assert/strict";
import { type Eye, type Picture, takePicture } from "./observe.ts";
import { type Player, playerOn, type Side, type Sides } from "./side.ts";

/** Something a user does, played on both sides in a namespace of its own. */
export interface Course {
  readonly name: string;
  readonly eye: Eye;
  play(player: Player): Promise<void>;
}

export interface Outcome extends Picture {
  readonly notes: Readonly<Record<string, unknown>>;
}

/** Plays a course on both sides at the same time, and fails with the difference of what is to be seen afterwards. */
export async function judge(sides: Sides, course: Course): Promise<void> {
  const [real, embedded] = await Promise.all([playOn(sides.real, course), playOn(sides.embedded, course)]);
  assert.deepEqual(embedded, real, `${course.name}: embedded (actual) differs from real (expected)`);
}

export async function playOn(side: Side, course: Course): Promise<Outcome> {
  const player = await playerOn(side, course.name);
  await course.play(player);
  const picture = await takePicture(side.client, course.name, course.eye);
  return { ...picture, notes: player.notes };
}
