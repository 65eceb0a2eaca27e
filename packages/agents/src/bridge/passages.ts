import { CARD } from '@legwork/protocol/contract';
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Server } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { readCard, showsCards } from './card.js';
import { inOwnName, isOwnArgument } from './ownKey.js';
import type { Session } from '../wallet/session.js';
import type { ServiceMcp } from './serviceMcp.js';

// Of each answer only what belongs there gets through: a service cannot have the client ask its user for anything.
const text = z.object({ uri: z.string(), mimeType: z.string().optional(), text: z.string() });
const named = { name: z.string(), title: z.string().optional(), description: z.string().optional() };
const templates = z.object({
  resourceTemplates: z.array(z.object({ ...named, uriTemplate: z.string(), mimeType: z.string().optional() })),
});
const contents = z.object({ contents: z.array(text) });
const prompts = z.object({
  prompts: z.array(
    z.object({
      ...named,
      arguments: z
        .array(z.object({ name: z.string(), description: z.string().optional(), required: z.boolean().optional() }))
        .default([]),
    }),
  ),
});
const prompt = z.object({
  description: z.string().optional(),
  messages: z.array(
    z.object({
      role: z.enum(['user', 'assistant']),
      content: z.object({ type: z.literal('text'), text: z.string() }),
    }),
  ),
});

/** Passes resources and prompts of the service through; prompts are about the own wallet, and the card is the bridge's own. */
export function offerPassages(server: Server, service: ServiceMcp, { signer, policy }: Session): void {
  const own = signer.address;
  // The tools list packages, tasks and agents.
  server.setRequestHandler('resources/list', (_, context) => ({
    resources: showsCards(context, server.getClientCapabilities()) ? [CARD] : [],
  }));
  server.setRequestHandler('resources/templates/list', async ({ method }) =>
    templates.parse(await service.rpc(method, {})),
  );
  server.setRequestHandler('resources/read', async ({ method, params: { uri } }) => {
    if (uri === CARD.uri) return readCard(policy.service);
    if (!uri.startsWith('ui:')) return contents.parse(await service.rpc(method, { uri }));
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no such page; there is ${CARD.uri}.`);
  });
  server.setRequestHandler('prompts/list', async ({ method }) =>
    optionalOwn(prompts.parse(await service.rpc(method, {}))),
  );
  server.setRequestHandler('prompts/get', async ({ method, params: { name, arguments: args = {} } }) => {
    const known = prompts.parse(await service.rpc('prompts/list', {})).prompts.find((one) => one.name === name);
    const names = known?.arguments.map((argument) => argument.name) ?? [];
    return prompt.parse(await service.rpc(method, { name, arguments: inOwnName(names, args, own, false) }));
  });
}

function optionalOwn({ prompts: listed }: z.output<typeof prompts>) {
  return {
    prompts: listed.map((one) => ({
      ...one,
      arguments: one.arguments.map((argument) =>
        isOwnArgument(argument.name) ? { ...argument, required: false, description: 'default: your wallet' } : argument,
      ),
    })),
  };
}
