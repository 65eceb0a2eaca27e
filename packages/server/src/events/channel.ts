/** PostgreSQL channel on which the sequencer says that events were numbered. It carries nothing: readers ask the log. */
export const EVENTS_CHANNEL = 'relay_events';

/** What the sequencer and the readers do without any hint, milliseconds. Hints may be lost; this is the guarantee. */
export const POLL_MS = 1000;
