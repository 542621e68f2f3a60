import { throws } from 'node:assert/strict';
import { test } from 'node:test';

import { authorization } from '../../../src/entries/authorization.ts';
import { budget } from '../../../src/entries/budget.ts';
import { compression } from '../../../src/entries/compression.ts';
import { costLine } from '../../../src/entries/cost-line.ts';
import { edge } from '../../../src/entries/edge.ts';
import { idempotency, memoryStore } from '../../../src/entries/idempotency.ts';
import { mcp } from '../../../src/entries/mcp.ts';
import { openTelemetry } from '../../../src/entries/opentelemetry.ts';
import { ApolloServer } from '../../../src/entries/v3.ts';

const extensions = {
  authorization: authorization({ claims: () => [] }),
  budget: budget({ store: memoryStore(), identity: () => 'everyone', capacity: 10, refillPerSecond: 1 }),
  compression: compression(),
  costLine: costLine(),
  edge: edge({ cdn: 'fastly' }),
  idempotency: idempotency({ store: memoryStore(), identity: () => 'everyone' }),
  mcp: mcp({ name: 'a', version: '1' } as never),
  openTelemetry: openTelemetry(),
};

for (const [name, plugin] of Object.entries(extensions))
  test(`a server of version 3 refuses ${name}(), which would do nothing there`, () => {
    throws(
      () => new ApolloServer({ typeDefs: 'type Query { a: Int }', plugins: [plugin as never] }),
      /plugins\[0\] has the hook \w+, which the servers of version 3 do not call/,
    );
  });
