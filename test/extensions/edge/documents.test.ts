import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { buildSchema, parse, print } from 'graphql';
import type { OperationDefinitionNode } from 'graphql';

import { KnownDocuments } from '../../../src/extensions/edge/documents.ts';

const schema = buildSchema('type Query { authors: [Author] } type Author { name: String }');

test('edge drops texts when they use more than 1 MiB of heap, so that clients cannot fill the memory with new ones', () => {
  const documents = new KnownDocuments(true);
  const texts = Array.from({ length: 6000 }, (_, nth) => `query New${nth} { new${nth}: authors { name } }`);

  for (const text of texts) documents.read(text, schema);
  const kept = texts.filter((text) => documents.get(text) !== undefined);

  assert.ok(kept.length < 3000, `${kept.length} are kept`);
  assert.equal(kept.at(-1), texts.at(-1));
});

test('edge keeps no document that the server has dropped, and parses it again when it needs it', async () => {
  const documents = new KnownDocuments(true);
  const text = 'query Names { authors { name } }';
  const isCollected = rememberAndLetGo(documents, text);
  documents.get(text)!.hasHinted = true;

  await collectGarbage();
  const wasCollected = isCollected();
  const known = documents.get(text);

  assert.equal(wasCollected, true);
  assert.equal(print(known!.document), print(parse(text)));
  assert.equal(known!.hasHinted, true);
});

/** Adds a document, and drops it. This is a separate function so that no variable of the test holds the document. */
function rememberAndLetGo(documents: KnownDocuments, text: string): () => boolean {
  const document = parse(text);
  documents.of({ schema, document, operation: document.definitions[0] as OperationDefinitionNode, source: text });
  const reference = new WeakRef(document);
  return () => reference.deref() === undefined;
}

async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  // An object whose WeakRef was read in this turn is not collected before the turn ends.
  await turn();
  (runInNewContext('gc') as () => void)();
}
