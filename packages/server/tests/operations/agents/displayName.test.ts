import { beforeAll, describe, expect, test } from 'vitest';
import { invalid } from '../../support/badValues.js';
import { attempt, post, refusedWith } from '../../support/refusal.js';
import { type Party, withService } from '../../support/service.js';

const service = withService();
let agent: Party;

beforeAll(async () => {
  agent = await service.current.party(0);
});

const register = (fields: object) => () =>
  post(service.current, '/agents', JSON.stringify({ agentPubkey: agent.pubkey, ...fields }));

describe('a name', () => {
  test.each([
    ['an override of its direction', 'Ada \u202egnp.exe', /direction/],
    ['an embedding', '\u202aAda', /direction/],
    ['an isolate that never ends', 'Ada\u2067', /direction/],
    ['tag characters', 'Ada\u{e0069}\u{e0067}', /tag characters/],
    ['zero-width characters only', '\u200b\u200d\ufeff', /blank/],
    ['white space only', ' \t\u3000', /blank/],
    ['what is invisible only', '\u2060\u00ad\u3164', /blank/],
  ])('is refused with %s, and changes nothing (M-73)', async (_what, name, says) => {
    const named = await attempt(service.current, [], register({ displayName: name }));
    expect(named).toEqual(refusedWith(invalid(['displayName'], says)));
    const able = await attempt(service.current, [], register({ capabilities: ['delivery', name] }));
    expect(able).toEqual(refusedWith(invalid(['capabilities.1'], says)));
  });

  test.each(['Ada', 'Łukasz 👩‍🚀', 'שליח \u200fA1', 'a\u200bb', 'नेपाल'])('is taken: %s (M-73)', async (displayName) => {
    expect((await register({ displayName, capabilities: [displayName] })()).status).toBe(200);
    expect((await agent.client.getAgent({ agentPubkey: agent.pubkey })).displayName).toBe(displayName);
  });
});
