import { buildSchema, parse, print, printSchema, validate } from 'graphql';
import type { DocumentNode, GraphQLSchema } from 'graphql';

import { isKnownValid } from '../../../src/executor/validation/fast-validator.ts';
import { createRandom } from '../random.ts';
import { damageDocument } from './damage-document.ts';
import { randomDocument } from './random-document.ts';
import { randomSchema } from './random-schema.ts';

/** The result of comparing the two validators. */
export interface ValidatorComparison {
  readonly documents: number;
  readonly valid: number;
  /** The number of valid documents that the fast validator accepted. */
  readonly accepted: number;
  /** Documents that the fast validator accepted and graphql-js rejected: each one is a defect. */
  readonly unsound: readonly { readonly seed: number; readonly text: string; readonly message: string }[];
}

/** Validates random documents, most of them damaged somehow, with both validators. */
export function compareValidators(firstSeed: number, schemas: number): ValidatorComparison {
  const found = { documents: 0, valid: 0, accepted: 0, unsound: [] as { seed: number; text: string; message: string }[] };
  for (let seed = firstSeed; seed < firstSeed + schemas; seed++) {
    const random = createRandom(seed);
    const inCode = randomSchema(random);
    // In graphql 17, a schema built from text stores default values in another form.
    const schema = random.chance(0.5) ? inCode : buildSchema(printSchema(inCode));
    for (let round = 0; round < 10; round++) {
      const document = parse(randomDocument(random, schema).text, { noLocation: true });
      check(seed, schema, document, found);
      for (let variant = 0; variant < 9; variant++) check(seed, schema, reparsed(damageDocument(random, document, schema)), found);
    }
  }
  return found;
}

type Findings = { -readonly [K in keyof ValidatorComparison]: ValidatorComparison[K] } & {
  readonly unsound: { seed: number; text: string; message: string }[];
};

/** The parsed document; undefined if it is too damaged to parse. */
function reparsed(document: DocumentNode): DocumentNode | undefined {
  try {
    return parse(print(document), { noLocation: true });
  } catch {
    return undefined;
  }
}

function check(seed: number, schema: GraphQLSchema, document: DocumentNode | undefined, found: Findings): void {
  if (document === undefined) return;
  const [error] = validate(schema, document);
  const isAccepted = isKnownValid(schema, document);
  found.documents++;
  if (error === undefined) found.valid++;
  if (isAccepted && error === undefined) found.accepted++;
  if (isAccepted && error !== undefined) found.unsound.push({ seed, text: print(document), message: error.message });
}
