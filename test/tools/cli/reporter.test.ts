import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';

import { Reporter } from '../../../src/tools/cli/reporter.ts';

test('below the lines of operations are their errors, then what the log says of the request', () => {
  const lines: string[] = [];
  const reporter = new Reporter({ log: (line) => void lines.push(stripVTControlCharacters(line)), error: () => {} }, '/project');
  const operation = { operation: 'query { me }', milliseconds: 2, calls: 0, hits: 0, errors: ["reading 'headers'"] };

  reporter.report({
    kind: 'request',
    name: 'graphql',
    record: { method: 'POST', path: '', status: 500, milliseconds: 3, operations: [operation], errors: ['context() failed.'] },
  });

  assert.deepEqual(lines, ['graphql  500  query { me }  2 ms', "  reading 'headers'", '  context() failed.']);
});
