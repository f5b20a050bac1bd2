// Loaded into an operator before its program: at each SIGUSR2 its clock jumps an hour ahead, and at the next one back. Timers and
// monotonic time keep their pace, as they do when the clock of a machine is set.
const RealDate = Date;
let offset = 0;
process.on("SIGUSR2", () => {
  offset = offset === 0 ? 3_600_000 : 0;
});
globalThis.Date = class extends RealDate {
  constructor(...args: [] | [number | string | Date]) {
    if (args.length === 0) super(RealDate.now() + offset);
    else super(...(args as [number]));
  }
  static override now(): number {
    return RealDate.now() + offset;
  }
} as DateConstructor;
