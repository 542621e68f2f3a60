import assert from 'node:assert/strict';
import { test } from 'node:test';

import { budget } from '../../../src/entries/budget.ts';
import { compression } from '../../../src/entries/compression.ts';
import { costLine } from '../../../src/entries/cost-line.ts';
import { edge } from '../../../src/entries/edge.ts';
import { idempotency } from '../../../src/entries/idempotency.ts';
import { incrementalDelivery } from '../../../src/entries/incremental.ts';
import { mcp } from '../../../src/entries/mcp.ts';
import { openTelemetry } from '../../../src/entries/opentelemetry.ts';
import { subgraph } from '../../../src/entries/subgraph.ts';

const plugins: Readonly<Record<string, (options: never) => unknown>> = {
  budget,
  compression,
  costLine,
  edge,
  idempotency,
  incrementalDelivery,
  mcp,
  openTelemetry,
};

for (const [name, create] of Object.entries(plugins))
  test(`${name} refuses options that do not exist`, () => {
    assert.throws(() => create({ colour: 1 } as never), new RegExp(`^TypeError: Unknown option "colour" of ${name}\\. Known options: `));
  });

test('a wrong option of a plugin names the similar one', () => {
  assert.throws(() => costLine({ formatt: 'emf' } as never), /^TypeError: Unknown option "formatt" of costLine\. Did you mean "format"\?$/);
});

for (const [name, create] of Object.entries({ budget, edge, idempotency, mcp, subgraph }))
  test(`${name} without options is refused like ${name}({})`, () => {
    const make = create as (options?: object) => unknown;
    let message = '';
    try {
      make({});
    } catch (error) {
      ({ message } = error as Error);
    }
    assert.match(message, new RegExp(`\\b${name}\\b`));
    assert.throws(() => make(), { message });
  });
