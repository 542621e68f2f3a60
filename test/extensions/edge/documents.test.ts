import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { parse } from 'graphql';
import type { GraphQLSchema } from 'graphql';

import { KnownDocuments } from '../../../src/extensions/edge/documents.ts';

test('edge keeps no document that the server has forgotten: new ones from clients would fill the memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const documents = new KnownDocuments();
  const schema = {} as GraphQLSchema;
  const kept = parse('{ kept }');
  documents.add('{ kept }', { schema, document: kept, mayHint: false });
  documents.add('{ forgotten }', { schema, document: parse('{ forgotten }'), mayHint: false });

  // What a WeakRef has shown in this turn of the event loop stays until its end.
  await new Promise((resolve) => setImmediate(resolve));
  collect();

  assert.equal(documents.get('{ kept }')?.document, kept);
  assert.equal(documents.get('{ forgotten }'), undefined);
});
