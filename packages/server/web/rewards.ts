import { startListing } from './claimsList.js';
import { startClaiming } from './claimStep.js';
import { showClaim } from './claimView.js';
import { type Seen, startConnecting } from './connectStep.js';
import { reveal } from './page.js';

const listAgain = startListing();

const claimWith = startClaiming((claim, isNew) => {
  claimWith(undefined);
  showClaim(claim, isNew);
  listAgain();
});

const connecting = {
  left: () => {
    claimWith(undefined);
    reveal(false, 'claim');
  },
  seen: (found: Seen) => {
    reveal(false, 'claim');
    if (found.preview.claim === null) claimWith(found);
    else {
      claimWith(undefined);
      showClaim(found.preview.claim, false);
    }
  },
};

// To other pages browsers offer neither wallets nor the hash that signing needs.
if (isSecureContext) startConnecting(connecting);
else reveal(true, 'insecure');
