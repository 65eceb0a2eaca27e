import { legAddress, packageAddress, swarmAddress } from '@legwork/program-client';
import { uuidToBytes } from '@legwork/protocol/contract';
import { address } from '@solana/kit';

/** What a leg's account follows from. */
interface LegOf {
  readonly packageId: string;
  readonly shipperPubkey: string;
  readonly legIndex: number;
}

/** Where the program keeps a leg, worked out and not taken from a service: no leg of another package is signed for. */
export async function legAccount(programId: string, { packageId, shipperPubkey, legIndex }: LegOf): Promise<string> {
  const program = address(programId);
  const account = await packageAddress(program, address(shipperPubkey), uuidToBytes(packageId));
  return legAddress(program, await swarmAddress(program, account), legIndex);
}
