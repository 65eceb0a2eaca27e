// Loaded into a service before its own code (`node --import`): its clock is SOAK_CLOCK_MS milliseconds ahead, or behind.
const AHEAD = Number(process.env['SOAK_CLOCK_MS']);
const { now } = Date;

globalThis.Date = class extends Date {
  static now = () => now() + AHEAD;

  constructor(...parts) {
    if (parts.length === 0) super(now() + AHEAD);
    else super(...parts);
  }
};
