// Worked examples of the documents behind hashes on the ledger: terms and results; generate.mjs writes them.
import {
  packageTermsDocument,
  packageTermsHash,
  resultDocument,
  resultHash,
  taskTermsDocument,
  taskTermsHash,
} from '../dist/rules/terms.js';

const SALT = '00112233445566778899aabbccddeeff';

export function termsHashes() {
  const places = { origin: { lat: 52.521918, lng: 13.413215 }, destination: { lat: 52.507222, lng: 13.332778 } };
  const cases = [
    { name: 'plain', terms: { description: 'Two books', ...places, weightKg: 1.5, volumeLitres: 3 } },
    {
      name: 'escapes, other alphabets, line breaks',
      terms: { description: 'A "box"\\\n\tПосылка 📦 \u007f', ...places, weightKg: 0.1, volumeLitres: 12 },
    },
    {
      name: 'numbers at the edges of their text forms',
      terms: {
        description: '',
        origin: { lat: -90, lng: 180 },
        destination: { lat: 1e-7, lng: -0.000001 },
        weightKg: 1e21,
        volumeLitres: 123456789012345680000,
      },
    },
    {
      name: 'a required score alone',
      terms: { description: 'Two books', ...places, weightKg: 1.5, volumeLitres: 3, requirements: { minScore: 80 } },
    },
    {
      name: 'everything required, lists in the order given',
      terms: {
        description: 'Cake',
        ...places,
        weightKg: 2,
        volumeLitres: 8,
        requirements: {
          minScore: 0,
          minCompleted: 12,
          capabilities: ['cooled', 'Lastenrad 🚲'],
          blocked: ['9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM', '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU'],
        },
      },
    },
    {
      name: 'version 2, with a salt',
      terms: { salt: SALT, v: 2, description: 'Two books', ...places, weightKg: 1.5, volumeLitres: 3 },
    },
  ];
  return {
    description: 'terms_hash of packages: sha256 of the UTF-8 bytes of the RFC 8785 canonical JSON.',
    cases: cases.map(({ name, terms }) => ({
      name,
      terms,
      canonicalJson: packageTermsDocument(terms),
      sha256Hex: packageTermsHash(terms).hex,
    })),
  };
}

export function taskTermsHashes() {
  const cases = [
    {
      name: 'plain',
      terms: { title: 'Feedback', description: 'Group it by topic.', instructions: ['Group it by topic.'] },
    },
    {
      name: 'escapes, other alphabets, line breaks',
      terms: {
        title: 'A "title"\\',
        description: 'Lies\r\n\tПрочитай 🔎 \u2028',
        instructions: ['Lies', 'Прочитай 🔎'],
      },
    },
    {
      name: 'four legs, in their order',
      terms: { title: '1', description: 'b a', instructions: ['b', 'a', 'b', 'a'] },
    },
    {
      name: 'a required score and capability',
      terms: {
        title: 'Feedback',
        description: 'Group it by topic.',
        instructions: ['Group it by topic.'],
        requirements: { minScore: 80, capabilities: ['Deutsch'] },
      },
    },
    {
      name: 'version 2, with a salt',
      terms: {
        salt: SALT,
        v: 2,
        title: 'Feedback',
        description: 'Group it by topic.',
        instructions: ['Group it by topic.'],
      },
    },
  ];
  return {
    description: 'terms_hash of digital tasks: sha256 of the UTF-8 bytes of the RFC 8785 canonical JSON.',
    cases: cases.map(({ name, terms }) => ({
      name,
      terms,
      canonicalJson: taskTermsDocument(terms),
      sha256Hex: taskTermsHash(terms).hex,
    })),
  };
}

const SUMMARY = {
  sha256: '903078101e0e79d7237c3b474f182524c8d9d5e6b1ae2fa7b86db2b633949f10',
  bytes: 12,
  name: 'summary.txt',
  contentType: 'text/plain; charset=utf-8',
};
const OVERVIEW = {
  sha256: 'f0f48f3ae53e823eddcc44548a734b4fd670f9452628d1d9f1991816ed6c40fd',
  bytes: 12,
  name: 'übersicht (2).csv',
  contentType: 'text/csv; charset=utf-8',
};
const BYTE = {
  sha256: '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  bytes: 1,
  name: '"a" & b.bin',
  contentType: 'application/octet-stream',
};

export function resultHashes() {
  const cases = [
    { name: 'plain', result: 'Topics: delivery (12), price (7), support (3).' },
    { name: 'line breaks and space as they are', result: ' a\r\nb\n' },
    { name: 'other alphabets, composed and not', result: 'é e\u0301 結果 🔎' },
    { name: 'one file', result: 'See the file.', artifacts: [SUMMARY] },
    { name: 'two files, in this order', result: 'See the files.', artifacts: [OVERVIEW, BYTE] },
    { name: 'the same two in the other order', result: 'See the files.', artifacts: [BYTE, OVERVIEW] },
  ];
  return {
    description:
      'result_hash of legs: sha256 of the UTF-8 bytes of the result; of a result with files, of the canonical JSON (RFC 8785) of both, ' +
      'files in their order.',
    cases: cases.map(({ artifacts, ...each }) => ({
      ...each,
      ...(artifacts && { artifacts, canonicalJson: resultDocument(each.result, artifacts) }),
      sha256Hex: resultHash(each.result, artifacts).hex,
    })),
  };
}
