import { z } from 'zod';
import { visibleText, sha256Hex } from '../schemas.js';

/** The most files that a result has. Rule M-83. */
export const MAX_ARTIFACTS = 16;
/** The most bytes that a file of a result has: 1 GiB. */
export const MAX_ARTIFACT_BYTES = 1024 ** 3;

/** Characters that would leave the folder, break the line, or change the order in which it is read. */
const NOT_IN_FILE_NAMES = /[/\\\t\n\r\u061c\u200e\u200f\u2028\u2029]/u;

/** The name under which a file is saved: 1 to 200 characters, of one folder and one line. */
const artifactName = visibleText(200)
  .refine(
    (name) => !NOT_IN_FILE_NAMES.test(name),
    'must be a file name: without slashes, line breaks and marks of direction',
  )
  .refine((name) => !name.startsWith('.'), 'must not begin with a dot')
  .meta({ description: 'file name, 1 to 200 characters' });

const RESTRICTED_NAME = '[a-z0-9][a-z0-9!#$&^_.+-]{0,63}';
const CONTENT_TYPE = `^${RESTRICTED_NAME}/${RESTRICTED_NAME}(; charset=utf-8)?$`;

/** A media type by the grammar of RFC 6838, in lower case; of parameters only UTF-8. */
const contentType = z
  .string()
  .regex(new RegExp(CONTENT_TYPE), 'must be a media type in lower case, such as text/csv; charset=utf-8')
  .meta({ pattern: CONTENT_TYPE, description: 'media type, as its agent says; nobody has looked' });

/** A file as its agent hands it in; its bytes are stored before. */
export const handedArtifact = z.strictObject({ sha256: sha256Hex, name: artifactName, contentType });

/** A file of a result. */
export const artifact = handedArtifact.extend({ bytes: z.int().min(1).max(MAX_ARTIFACT_BYTES) });
export type Artifact = z.output<typeof artifact>;

/** The files of a result that is handed in, in order, each once. */
export const handedArtifacts = z
  .array(handedArtifact)
  .max(MAX_ARTIFACTS)
  .refine((list) => new Set(list.map(({ sha256 }) => sha256)).size === list.length, {
    message: 'must name each sha256 once',
    // A fault of one file says enough.
    when: ({ issues }) => issues.length === 0,
  });
