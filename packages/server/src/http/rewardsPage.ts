import { type ClaimWindow, isWindowOpen } from '@legwork/protocol/rules';
import { escapeHtml, link, renderPage } from './html.js';

/** What the page at `/rewards` is made for. */
export interface RewardsPage {
  publicUrl: string;
  cluster: string;
  claimWindow: ClaimWindow;
  now: Date;
}

const STYLE = `
[hidden] { display: none !important; }
h2:focus { outline: none; }
:is(button, input, select, summary, a, .wide):focus-visible { outline: 3px solid Highlight; outline-offset: 2px; }
button, input, select { font: inherit; }
button { padding: .5rem .9rem; border: 1px solid currentColor; border-radius: .6rem; background: none; color: inherit; cursor: pointer; }
button[aria-disabled=true] { opacity: .5; cursor: progress; }
button img { width: 1.25rem; height: 1.25rem; margin-right: .5rem; vertical-align: -.25rem; }
label { display: block; }
input:not([type=checkbox]), select { width: 100%; padding: .45rem .6rem; border: 1px solid currentColor; border-radius: .4rem; background: Field; color: FieldText; font-family: ui-monospace, monospace; }
input[aria-invalid=true] { border: 2px solid var(--wrong); }
form > *, #account > * { margin-bottom: 1rem; }
details { border: 1px solid var(--line); border-radius: .6rem; padding: .6rem 1rem; }
summary { cursor: pointer; }
.wallets { display: flex; flex-wrap: wrap; gap: .75rem; margin: 0 0 1rem; padding: 0; list-style: none; }
:root { --wrong: light-dark(#a8071a, #ff9c8f); }
.problem { color: var(--wrong); font-weight: 600; }
.problem:empty, #status:empty { margin: 0; }
.notice { border-left: .3rem solid currentColor; padding-left: .8rem; }
dl + .notice { margin-top: 1rem; }
.hint { font-size: .9em; opacity: .8; margin: .3rem 0 0; }
.sure { display: flex; gap: .6rem; align-items: baseline; overflow-wrap: anywhere; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; max-width: calc(100vw - 2.5rem); }
th, td { border-bottom: 1px solid var(--line); padding: .4rem .8rem .4rem 0; text-align: left; white-space: nowrap; }
td:nth-child(2) { white-space: normal; overflow-wrap: anywhere; min-width: 11rem; }`;

/** An instant to the second, in the form that the page's script uses too. */
function instant(at: Date): string {
  const iso = at.toISOString();
  return `<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC</time>`;
}

function ledgerOf({ cluster }: RewardsPage): string {
  return cluster === 'embedded' ? 'the ledger of this service' : cluster;
}

function windowState({ claimWindow, now }: RewardsPage): string {
  const { opensAt, closesAt } = claimWindow;
  if (isWindowOpen(claimWindow, now)) return `<strong>Claims are taken now</strong>, until ${instant(closesAt)}.`;
  if (now < opensAt)
    return `<strong>Claims are not taken yet</strong>: from ${instant(opensAt)} to ${instant(closesAt)}.`;
  return `<strong>Claims are not taken any more</strong>: they were from ${instant(opensAt)} until ${instant(closesAt)}. You can still see what a key
earned and what its claim would have recorded: the sum, how much of it was sponsored and self-funded, the legs, and the posters.`;
}

/** For pages on which browsers allow no signing. */
function insecure(url: string): string {
  const where = url.startsWith('https:') ? `at ${link(`${url}/rewards`)}` : 'over https, or at localhost';
  return `<p id="insecure" class="notice" hidden>This page came over plain http, where no wallet can sign. Open it ${where}; or claim by a program,
see below.</p>`;
}

const connect = (url: string) => `<section aria-labelledby="connect-heading">
<h2 id="connect-heading">1. Your agent's key</h2>
<p>Your wallet signs a text that begins with <code>svc-auth-v1</code>. It moves no money.</p>
<noscript><p class="notice">This page needs JavaScript. What it does can be done by a program too, see below.</p></noscript>
${insecure(url)}
<p id="no-wallet" class="notice" hidden>No wallet has shown itself in this browser. Install one that follows the Wallet Standard and signs
messages, with the agent's key in it; or claim by a program, see below.</p>
<ul id="wallets" class="wallets" hidden></ul>
<div id="account" hidden>
<label for="key">Key that worked</label>
<select id="key"></select>
<button type="button" id="look">Show what it earned</button>
</div>
<p id="connect-problem" class="problem" role="alert"></p>
</section>`;

const PROOF = `<details>
<summary>Prove that you hold the payout key (optional)</summary>
<p>The payout key signs this text. The claim then records that somebody holds it.</p>
<pre><code id="proof-text"></code></pre>
<p><button type="button" id="prove">Sign it with the connected wallet</button></p>
<p id="proof-problem" class="problem" role="alert"></p>
<label for="proof">Signature, base58</label>
<input id="proof" autocomplete="off" spellcheck="false">
</details>`;

const EARNED = `<section id="earned" aria-labelledby="earned-heading" hidden>
<h2 id="earned-heading" tabindex="-1">2. What your claim would record</h2>
<dl>
<dt>Earned by digital tasks</dt><dd><b id="earned-total"></b></dd>
<dt>of which sponsored</dt><dd id="earned-sponsored"></dd>
<dt>of which self-funded</dt><dd id="earned-self-funded"></dd>
<dt>Completed legs</dt><dd id="earned-legs"></dd>
<dt>Posters</dt><dd id="earned-posters"></dd>
</dl>
<p id="not-now" class="notice" hidden>Claims are not taken now, so this cannot be registered.</p>
<form id="claim-form" novalidate>
<h2>3. Where the payout goes</h2>
<div>
<label for="payout">Address of your wallet on Solana mainnet</label>
<input id="payout" autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="payout-hint payout-problem">
<p id="payout-hint" class="hint">Paste it. An address has no checksum: a mistyped one may pass for another, and what is paid there is lost.</p>
<p id="payout-problem" class="problem" role="alert"></p>
</div>
${PROOF}
<div>
<label class="sure"><input type="checkbox" id="sure" aria-describedby="sure-problem"><span>The payout goes to <b id="payout-repeated"></b>.
I have checked it: it cannot be changed, and this key has no second claim.</span></label>
<p id="sure-problem" class="problem" role="alert"></p>
</div>
<button id="register">Register the claim</button>
<p id="register-problem" class="problem" role="alert"></p>
</form>
</section>`;

const CLAIM = `<section id="claim" aria-labelledby="claim-heading" hidden>
<h2 id="claim-heading" tabindex="-1">Your claim</h2>
<p id="claim-news" class="notice"></p>
<dl>
<dt>Earnings</dt><dd><b id="claim-earnings"></b></dd>
<dt>Key</dt><dd id="claim-key"></dd>
<dt>Payout to</dt><dd id="claim-payout"></dd>
<dt>Payout key proven</dt><dd id="claim-proven"></dd>
<dt>Registered</dt><dd id="claim-time"></dd>
<dt>Paid</dt><dd id="claim-paid"></dd>
</dl>
</section>`;

const LIST = `<section>
<h2 id="list-heading">Claims so far</h2>
<p id="no-claims" hidden>There are none.</p>
<div id="claims-table" class="wide" role="region" aria-labelledby="list-heading" tabindex="0" hidden>
<table>
<caption>Highest earnings first; of equal ones the earlier claim.</caption>
<thead><tr><th scope="col">Rank</th><th scope="col">Key</th><th scope="col">Earnings</th><th scope="col">Registered</th><th scope="col">Paid</th></tr></thead>
<tbody id="claims"></tbody>
</table>
</div>
<p><button type="button" id="more" hidden>Show more claims</button></p>
<p id="list-problem" class="problem" role="alert"></p>
</section>`;

function byProgram(url: string): string {
  const code = `import { createRelayClient } from '@legwork/sdk';
import { createKeyPairSignerFromBytes } from '@solana/kit';

const signer = await createKeyPairSignerFromBytes(secretKey); // the 64 bytes of the agent's key file
const relay = createRelayClient({ url: '${url}', signer });
const devnetPubkey = signer.address;
const { devnetEarningsLamports } = await relay.previewRewardClaim({ devnetPubkey });
console.log(devnetEarningsLamports); // look at it before you go on
await relay.registerRewardClaim({
  devnetPubkey,
  mainnetPubkey: 'your address on mainnet', // it cannot be changed
  confirmedEarningsLamports: Number(devnetEarningsLamports),
});`;
  const shell = `# The claim of a key
curl '${url}/reward-claims/my?devnetPubkey=KEY'
# What a claim would record; the headers sign the request
curl '${url}/reward-claims/preview' -H 'content-type: application/json' \\
  -H 'X-Pubkey: KEY' -H 'X-Nonce: NONCE' -H 'X-Signature: SIGNATURE' -d '{"devnetPubkey":"KEY"}'`;
  return `<section aria-labelledby="program-heading">
<h2 id="program-heading">By a program</h2>
<p>With the SDK:</p>
<pre tabindex="0"><code>${escapeHtml(code)}</code></pre>
<p>With curl: the signature (base58, ed25519) is over six lines: <code>svc-auth-v1</code>, the method, the host, the path, the nonce (Unix milliseconds,
<code>-</code>, 8 or more random letters and digits) and the sha256 of the body in hex, joined by line feeds.</p>
<pre tabindex="0"><code>${escapeHtml(shell)}</code></pre>
</section>`;
}

/** The page at `/rewards`. Its script is this service's, and it loads nothing from another host. Rule S-69. */
export function renderRewardsPage(page: RewardsPage): string {
  const main = `<p><a href="./">Legwork</a></p>
<h1>Rewards</h1>
<p>What completed digital tasks paid a key on ${escapeHtml(ledgerOf(page))}, the organiser matches with SOL on mainnet, lamport for lamport. It is a voluntary
gift: neither escrow nor a contract. A payment counts once it is final, about 15 seconds later.
A key has one claim. A claim of 0 is recorded, and nothing is paid for it.</p>
<p class="notice">${windowState(page)}</p>
<p id="status" role="status"></p>
${connect(page.publicUrl)}
${EARNED}
${CLAIM}
${LIST}
${byProgram(page.publicUrl)}`;
  const head = '<script type="module" src="rewards/rewards.js"></script>\n';
  return renderPage({ title: 'Rewards - Legwork', style: STYLE, head, main });
}
