import type { LocalTool } from './localTool.js';
import { dueNow } from './tools/dueNow.js';
import { takeOrHandOver } from './tools/handoff.js';
import { listOpenings, makeMoveTool, openReputationTool, readEvidence } from './tools/moves.js';
import { postPackage, postTask } from './tools/post.js';
import { myCredential, wallet } from './tools/wallet.js';
import { cancelOrReclaim, releaseLeg, withdrawBid } from './tools/withdraw.js';

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
