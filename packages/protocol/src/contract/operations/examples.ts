/** Values for examples in descriptions, of the right form, belonging to no one. */
export const EXAMPLE_KEY = '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU';
export const EXAMPLE_SIGNATURE =
  '5u4vHSVNNbWRKgYACC2TnP85F8CPZUz1Wkb9wGjDMLfpgHfiJVriLoRhk13FV62dbsBeEfGVuNBrvZVCs55yYgfQ';
/** Without a signature and without an instruction. */
export const EXAMPLE_TRANSACTION =
  'AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAAABZ1IFXCCz6dh0Zlbd9zhVUH+Hq22HUj5Mdqf6NglqmesBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQA=';
export const EXAMPLE_PACKAGE_ID = '0198c5f0-7a10-7c3e-9a55-3f1c0e9d2b11';
export const EXAMPLE_TASK_ID = '0198c5f0-7a10-7c3e-9a55-3f1c0e9d2b31';
export const EXAMPLE_DIGITAL_LEG_ID = '0198c5f0-7a10-7c3e-9a55-3f1c0e9d2b32';

/** A poster's description of a parcel. */
export const EXAMPLE_PARCEL = {
  shipperPubkey: EXAMPLE_KEY,
  originLat: 52.5074,
  originLng: 13.3326,
  destLat: 52.5031,
  destLng: 13.4694,
  description: 'A box of books, needs to stay dry',
  weightKg: 4.5,
  volumeLitres: 12,
  maxBudgetSol: 0.5,
} as const;

/** A poster's description of a goal. */
export const EXAMPLE_GOAL = {
  shipperPubkey: EXAMPLE_KEY,
  title: 'Summarise customer feedback',
  description: 'Group the feedback below by topic, then write a summary of each group: …',
  maxBudgetSol: 0.2,
  legs: [{ instruction: 'Group the feedback by topic.' }, { instruction: 'Write one paragraph about each group.' }],
} as const;
