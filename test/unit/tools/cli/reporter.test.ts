import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';

import { Reporter } from '../../../../src/tools/cli/reporter.ts';

test('each operation is followed by its errors, and then by the log lines of the request', () => {
  const lines: string[] = [];
  const reporter = new Reporter({ log: (line) => void lines.push(stripVTControlCharacters(line)), error: () => {} }, '/project');
  const operation = { operation: 'query { me }', milliseconds: 2, errors: ["reading 'headers'"] };

  reporter.report({
    kind: 'request',
    name: 'graphql',
    record: { method: 'POST', path: '', status: 500, milliseconds: 3, operations: [operation], errors: ['context() failed.'] },
  });

  assert.deepEqual(lines, ['graphql  500  query { me }  2 ms', "  reading 'headers'", '  context() failed.']);
});

test('requests are listed only after the answer to the query of the command line; those with errors are always listed', () => {
  const lines: string[] = [];
  const reporter = new Reporter({ log: (line) => void lines.push(stripVTControlCharacters(line)), error: () => {} }, '/project');
  const request = (path: string, errors: readonly string[]): void =>
    reporter.report({
      kind: 'request',
      name: 'graphql',
      record: { method: 'GET', path, status: 200, milliseconds: 1, operations: [], errors },
    });

  request('/first', []);
  request('/second', ['failed']);
  reporter.answer('{ a }', { status: 200, text: '{ "data": { "a": 1 } }' });
  reporter.answer('{ a }', { status: 400, text: '{}' });
  reporter.waiting();
  request('/third', []);

  assert.deepEqual(lines, [
    'graphql  200  GET /second  1 ms',
    '  failed',
    '{ a }\n\n{ "data": { "a": 1 } }\n',
    '{ a }\n\nStatus 400:\n\n{}\n',
    'Watching for changes. Press Ctrl+C to stop.',
    'graphql  200  GET /third  1 ms',
  ]);
});
