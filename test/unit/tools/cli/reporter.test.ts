import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Reporter } from '../../../../src/tools/cli/reporter.ts';

test('requests are listed only after the answer to the query of the command line', () => {
  const lines: string[] = [];
  const reporter = new Reporter({ log: (line) => void lines.push(line), error: () => {} }, '/project');
  const request = (path: string): void => reporter.report({ kind: 'request', line: `graphql  200  GET ${path}  1 ms` });

  request('/first');
  reporter.answer('{ a }', { status: 200, text: '{ "data": { "a": 1 } }' });
  reporter.answer('{ a }', { status: 400, text: '{}' });
  reporter.waiting();
  request('/second');

  assert.deepEqual(lines, [
    '{ a }\n\n{ "data": { "a": 1 } }\n',
    '{ a }\n\nStatus 400:\n\n{}\n',
    'Watching for changes. Press Ctrl+C to stop.',
    'graphql  200  GET /second  1 ms',
  ]);
});
