import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import type { ServerContext, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { StdioServerHandle } from '@modelcontextprotocol/server/stdio';
import { commandLineAnywhere } from '../commandLine.js';
import type { Settings } from '../settings.js';
import { openSession } from '../wallet/session.js';
import type { Session } from '../wallet/session.js';
import { ApprovalPage } from './approvalPage.js';
import { Approvals } from './approvals.js';
import { showsCards, withCards } from './card.js';
import { inOwnName, withOwnKey } from './ownKey.js';
import { offerPassages } from './passages.js';
import { failed } from './toolResult.js';
import type { ToolResult } from './toolResult.js';
import { createServiceMcp } from './serviceMcp.js';
import type { ListedTool, ServiceMcp, Tell } from './serviceMcp.js';
import { callService } from './serviceTools.js';
import type { LocalTool } from './localTool.js';
import { dueNow, listOpenings, makeMoveTool, openReputationTool, readEvidence } from './tools/moves.js';
import { postPackage, postTask } from './tools/post.js';
import { takeOrHandOver } from './tools/takeOrHandOver.js';
import { myCredential, wallet } from './tools/wallet.js';
import { cancelOrReclaim, releaseLeg, withdrawBid } from './tools/withdraw.js';

/** A wallet that is open for a model. */
export interface Bridge {
  /** The wallet that it signs for. */
  readonly address: string;
  /**
   * Serves MCP, on standard input and output unless told.
   *
   * @param onProblem a log for problems beside the calls, other than standard output
   */
  serve(onProblem: (problem: Error) => void, transport?: Transport): void;
  /** Lets calls under way end, and closes the journal. */
  close(): Promise<void>;
}

/** The parts that serve every connection. */
interface Desk {
  readonly session: Session;
  readonly approvals: Approvals;
  readonly page: ApprovalPage;
  readonly service: ServiceMcp;
  readonly serviceTools: ReadonlyMap<string, ListedTool>;
  readonly instructions: string;
  /** Calls that have not ended. */
  readonly underWay: Set<Promise<unknown>>;
}

/**
 * Opens the wallet of a policy for a model: the service's tools, each call signed, and those that need the wallet.
 * Rules.
 *
 * @param say lines for a person, in a log that no model reads
 * @throws {KeyFileError}, {JournalError}, {TrustError}, and what asking the service throws
 */
export async function openBridge(policy: Settings, say: (line: string) => void = () => undefined): Promise<Bridge> {
  const { withinSec, waitSec, notify } = policy.approvals;
  const file = `${policy.key.replace(/\.json$/, '')}.approvals`;
  const onProblem = ({ message }: Error) => say(`A notice of an approval failed: ${message}`);
  const page = new ApprovalPage({ say, notify, file, onProblem }, withinSec * 1000);
  const approvals = new Approvals(page, waitSec * 1000);
  const session = await openSession(policy, { approve: approvals.approve, say });
  const service = createServiceMcp(policy.service, session.signer);
  try {
    const listed = (await service.tools()).filter(({ name }) => !LOCAL_TOOLS.has(name));
    const serviceTools = new Map(listed.map((tool) => [tool.name, withOwnKey(tool)]));
    const instructions = `${await instructionsOf(service)}\n\n${ownInstructions(session)}`;
    const desk = {
      session,
      approvals,
      page,
      service,
      serviceTools,
      instructions,
      underWay: new Set<Promise<unknown>>(),
    };
    return asBridge(desk);
  } catch (error) {
    await session.close();
    throw error;
  }
}

function asBridge(desk: Desk): Bridge {
  const served: StdioServerHandle[] = [];
  return {
    address: desk.session.signer.address,
    serve: (onProblem, transport) => {
      const options = { onerror: onProblem, ...(transport && { transport }) };
      served.push(serveStdio(() => createServer(desk), options));
    },
    close: async () => {
      await desk.page.close();
      await Promise.allSettled(desk.underWay);
      await Promise.allSettled(served.map((one) => one.close()));
      await desk.session.close();
    },
  };
}

function createServer(desk: Desk): Server {
  const { service, serviceTools, session } = desk;
  const capabilities = { tools: {}, resources: {}, prompts: {} };
  const server = new Server({ name: 'legwork', version: '0.1.0' }, { capabilities, instructions: desk.instructions });
  const tools = [...serviceTools.values(), ...[...LOCAL_TOOLS.values()].map(({ listed }) => listed)];
  server.setRequestHandler('tools/list', (_, context) => ({
    tools: showsCards(context, server.getClientCapabilities()) ? withCards(tools) : tools,
  }));
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: args = {} } }, context) => {
    const answer = answerCall(desk, {
      tool: name,
      arguments: args,
      context,
      connected: server.getClientCapabilities(),
    });
    desk.underWay.add(answer);
    return answer.finally(() => desk.underWay.delete(answer));
  });
  offerPassages(server, service, session);
  return server;
}

async function answerCall(desk: Desk, call: Parameters<Approvals['run']>[0]) {
  // A tool that there is not is no answer of a tool: this one is thrown.
  const run = runnerOf(desk, call.tool);
  try {
    return await desk.approvals.run(call, () => run(call.arguments, tellerOf(call.context)));
  } catch (error) {
    const words = LOCAL_TOOLS.get(call.tool)?.byHand(call.arguments);
    return failed(error, words && commandLineAnywhere(words, desk.session.policy));
  }
}

type Runner = (args: Readonly<Record<string, unknown>>, tell: Tell | undefined) => Promise<ToolResult>;

/** Hands the progress of a call on, with the token of the client. @returns undefined: it gave none. Rule A-180 */
function tellerOf({ mcpReq: { _meta, notify } }: ServerContext): Tell | undefined {
  const progressToken = _meta?.progressToken;
  if (progressToken === undefined) return undefined;
  return (progress) => {
    const params = { ...progress, progressToken };
    notify({ method: 'notifications/progress', params }).catch(() => undefined);
  };
}

/** @throws {ProtocolError} -32602 when there is no such tool */
function runnerOf({ session, service, serviceTools }: Desk, name: string): Runner {
  const local = LOCAL_TOOLS.get(name);
  if (local) return (args) => local.call(session, args);
  const tool = serviceTools.get(name);
  if (tool === undefined) {
    const known = [...serviceTools.keys(), ...LOCAL_TOOLS.keys()].join(', ');
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no such tool; there is ${known}.`);
  }
  const names = Object.keys(tool.inputSchema.properties ?? {});
  const onlyReads = tool.annotations?.readOnlyHint === true;
  return async (args, tell) =>
    callService(session, service, { name, args: inOwnName(names, args, session.signer.address, onlyReads), tell });
}

/** The service's instructions for a model, as far as its address is asked again: a service may be of a newer version. */
async function instructionsOf(service: ServiceMcp): Promise<string> {
  const clientInfo = { name: 'legwork bridge', version: '0.1.0' };
  const { instructions } = await service.rpc('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo,
  });
  return typeof instructions === 'string' ? instructions : '';
}

function ownInstructions({ signer, assets }: Session): string {
  const mandated = assets.flatMap(({ asset, mandate }) =>
    mandate === undefined ? [] : [`What they list in ${asset} the mandate of ${mandate} pays, as \`wallet\` says.`],
  );
  return [
    `Here you act for the wallet ${signer.address}, whose key is with this bridge and in no answer: agentPubkey and shipperPubkey may`,
    'be left out, and every call is signed. The tools without svc_ need the wallet: due_now says what waits for you,',
    'take_or_hand_over signs for a parcel that you received, post_package and post_task spend your own money within limits that a',
    'person set.',
    ...mandated,
    'Begin with due_now.',
  ].join('\n');
}

/** The bridge's own tools by name, in the order in which they are listed. Rule A-78. */
export const LOCAL_TOOLS: ReadonlyMap<string, LocalTool> = new Map(
  [
    dueNow,
    takeOrHandOver,
    makeMoveTool,
    readEvidence,
    listOpenings,
    openReputationTool,
    releaseLeg,
    postPackage,
    postTask,
    withdrawBid,
    cancelOrReclaim,
    wallet,
    myCredential,
  ].map((tool) => [tool.listed.name, tool]),
);
