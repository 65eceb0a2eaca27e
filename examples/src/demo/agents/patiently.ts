import { LedgerRefusedError, RelayApiError, RelayNetworkError, TransactionRefusedError } from '@legwork/sdk';

const PASSING = [RelayApiError, RelayNetworkError, LedgerRefusedError, TransactionRefusedError];

/** One act that fails does not end the market: the next one comes. */
export async function patiently(act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!PASSING.some((kind) => error instanceof kind)) throw error;
  }
}
