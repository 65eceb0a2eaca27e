// The source of relay.json: accounts, instructions, events and errors of the program, as Codama nodes.
// `npm run generate` renders relay.json and the typed client from it.
import { programNode, rootNode } from 'codama';
import { assets } from './assets.mjs';
import { errors } from './errors.mjs';
import { governance } from './governance.mjs';
import { mandates } from './mandates.mjs';
import { packages } from './packages.mjs';
import { tasks } from './tasks.mjs';
import { terms } from './terms.mjs';
import { work } from './work.mjs';

const PARTS = [governance, packages, work, tasks, terms, assets, mandates];
const all = (kind) => PARTS.flatMap((part) => part[kind] ?? []);

export const idl = rootNode(
  programNode({
    name: 'relay',
    version: '0.1.0',
    docs: ['Escrow, handoff and reputation of Legwork. The address is chosen at deployment.'],
    // Codama wants an address; clients never use it.
    publicKey: '11111111111111111111111111111111',
    accounts: all('accounts'),
    instructions: all('instructions'),
    definedTypes: all('definedTypes'),
    pdas: all('pdas'),
    errors,
  }),
);
