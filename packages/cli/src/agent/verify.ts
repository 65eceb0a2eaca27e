import { createModel, type ModelPolicy, type Session, TokensUsed } from '@legwork/agents';
import { formatAmount, type Judge, type LegTurnView, type MadeMove, SOL, type Verdict, verify } from '@legwork/sdk';
import { messageOf, UsageError } from '../screen.js';
import { modelJudge, commandJudge, httpJudge } from '../verify/judges.js';
import type { Agent } from './agent.js';
import { paidInNamed, requireLimits, unitsOf } from './assets.js';
import { textIn } from './moves.js';
import { minuteOf, type Shown } from './output.js';

interface VerifyInput {
  /** The judge: a command of the shell, an address, or a model with a rubric. */
  readonly command?: string;
  readonly http?: string;
  readonly model?: string;
  readonly modelName?: string;
  readonly modelKeyEnv?: string;
  readonly rubric?: string;
  /** Seconds for a verdict. */
  readonly timeout: number;
  /** SOL, or whole units of the asset. */
  readonly stakes: number;
  readonly asset?: string;
  readonly for?: readonly string[];
}

/** The cost of a dispute beyond its stake, lamports. */
const FEES_LAMPORTS = 2_000_000n;
const TOKENS_PER_DAY = 200_000;

/** Verifies the results of tasks whose poster or receiver this key is, until it is interrupted. */
export async function* verifyResults(agent: Agent, input: VerifyInput): AsyncGenerator<Shown> {
  const of = await paidInNamed(agent, input.asset ?? SOL.asset);
  const most = unitsOf(input.stakes, of);
  const tokens = new TokensUsed();
  const isToken = of.token !== undefined;
  const session = await agent.session(
    FEES_LAMPORTS + (isToken ? 0n : most),
    [tokens],
    isToken ? { asset: of.asset, amount: most } : undefined,
  );
  if (isToken) requireLimits(session, of);
  const judge = await judgeOf(input, session, tokens);
  const { client, signer, rpc } = session;
  const stopping = new AbortController();
  const stakes = isToken ? { maxStakesLamports: 0n, maxStakesInTokens: [{ of, most }] } : { maxStakesLamports: most };
  const limits = { ...stakes, arbiters: arbitersOf(session), ...(input.for && { posters: input.for }) };
  yield {
    data: { pubkey: signer.address, ...limits },
    text: `${signer.address} verifies, with at most ${formatAmount(most, of)} of stakes in disputes; what would stake another asset is told and not disputed.`,
  };
  yield* new ReadableStream<Shown>({
    start(shown) {
      // Once nobody reads any more, the stream takes nothing, not even its end.
      const tell = (say: () => void) => (stopping.signal.aborted ? undefined : say());
      const made = (move: MadeMove, turn: LegTurnView, verdict: Verdict) =>
        tell(() => shown.enqueue(madeShown(move, turn, verdict)));
      const failed = (error: unknown, turn: LegTurnView | undefined) =>
        tell(() => shown.enqueue(failedShown(error, turn)));
      verify(client, signer, judge, { rpc, signal: stopping.signal, ...limits, made, failed }).then(
        () => tell(() => shown.close()),
        (error: unknown) => tell(() => shown.error(error)),
      );
    },
    cancel: () => stopping.abort(),
  });
}

/** @throws UsageError unless exactly one judge is named */
async function judgeOf(input: VerifyInput, session: Session, tokens: TokensUsed): Promise<Judge> {
  const { command, http, rubric, timeout } = input;
  if (command !== undefined) return commandJudge(session.client, command, timeout);
  if (http !== undefined) return httpJudge(http, timeout);
  const policy = modelOf(input, session);
  if (policy === undefined) throw new UsageError('Say who judges: --command, --http, or --model with --rubric.');
  if (rubric === undefined) throw new UsageError('A model judges by a rubric: give a file with --rubric.');
  return modelJudge(createModel(policy, session.journal, tokens), await textIn(rubric), timeout);
}

/** The model of the options, or else of the settings. */
function modelOf(
  { model: url, modelName, modelKeyEnv, timeout }: VerifyInput,
  { policy }: Session,
): ModelPolicy | undefined {
  if (url === undefined) return policy.model;
  if (modelName === undefined) throw new UsageError('Say which model it is with --model-name.');
  const tokensPerDay = policy.model?.tokensPerDay ?? TOKENS_PER_DAY;
  return { url, name: modelName, tokensPerDay, timeoutSec: timeout, ...(modelKeyEnv && { keyEnv: modelKeyEnv }) };
}

/** The arbiters whose rulings the settings take; by default the one that the service names. */
function arbitersOf({ policy, config }: Session): string[] {
  return policy.accept.arbiters.flatMap((one) => (one === 'service' ? (config.arbiterPubkey ?? []) : one));
}

const legOf = ({ legIndex, legId, ...turn }: LegTurnView) =>
  `${turn.kind} ${turn.kind === 'task' ? turn.taskId : turn.packageId}, leg ${legIndex + 1} (${legId})`;

function madeShown(move: MadeMove, turn: LegTurnView, verdict: Verdict): Shown {
  const words = verdict.confirm ? 'confirmed' : `disputed, ${verdict.reason.trim()}`;
  const until = move.until === null ? '' : `; ruled until ${minuteOf(move.until)}`;
  const data = { ...ids(turn), verdict, stage: move.stage, until: move.until, signature: move.signature };
  return { data, text: `${legOf(turn)}: ${words}${until} (transaction ${move.signature})` };
}

function failedShown(error: unknown, turn: LegTurnView | undefined): Shown {
  const what = turn === undefined ? 'looking for claims' : legOf(turn);
  const data = { ...(turn && ids(turn)), verdict: null, error: messageOf(error) };
  return { data, text: `${what}: no verdict yet: ${messageOf(error)}` };
}

const ids = (turn: LegTurnView) => ({ ...(turn.kind === 'task' && { taskId: turn.taskId }), legId: turn.legId });
