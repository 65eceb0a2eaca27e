/** The built relay program. */
export const relaySoPath = new URL('../../../../program/dist/relay.so', import.meta.url).pathname;
