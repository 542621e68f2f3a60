import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parse } from 'graphql';
import type { GraphQLSchema } from 'graphql';

import { KnownDocuments } from '../../../src/extensions/edge/documents.ts';

test('edge forgets documents when they take more than 8 MiB of heap: new ones from clients would fill the memory', () => {
  const documents = new KnownDocuments();
  const texts = Array.from({ length: 3000 }, (_, nth) => `query New${nth} { new${nth}: authors { name books { title year } } }`);

  for (const text of texts) documents.add(text, { schema: {} as GraphQLSchema, document: parse(text), mayHint: false, hasHinted: false });
  const kept = texts.filter((text) => documents.get(text) !== undefined);

  assert.ok(kept.length < 1000, `${kept.length} are kept`);
  assert.equal(kept.at(-1), texts.at(-1));
});
