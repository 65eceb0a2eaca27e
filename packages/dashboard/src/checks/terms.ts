import type { PackageDetail } from '@legwork/sdk';
import { packageTermsHash } from '@legwork/protocol/rules';
import { bytesToHex } from '@noble/hashes/utils.js';
import type { Outcome } from './outcome.js';
