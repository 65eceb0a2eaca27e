import { startListing } from './claimsList.js';
import { startClaiming } from './claimStep.js';
import { showClaim } from './claimView.js';
import { startConnecting } from './connectStep.js';
import { reveal } from './page.js';

const listAgain = startListing();

const claimWith = startClaiming((claim, isNew) => {
  claimWith(undefined);
  showClaim(claim, isNew);
  listAgain();
});

startConnecting({
  left: () => {
    claimWith(undefined);
    reveal(false, 'claim');
  },
  seen: (found) => {
    reveal(false, 'claim');
    if (found.preview.claim === null) claimWith(found);
    else {
      claimWith(undefined);
      showClaim(found.preview.claim, false);
    }
  },
});
