/** The same as of models: that the files are available, and each failure. */
export { eventsOf } from "../model/events.ts";
