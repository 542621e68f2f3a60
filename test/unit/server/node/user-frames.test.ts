import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GraphQLError } from 'graphql';
import { stackOf, withUserFrames } from '../../../../src/server/node/serve.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

const user = '    at read (file:///home/ada/project/functions/graphql.ts:4:9)';
const foreign = [
  '    at executeField (file:///home/ada/project/node_modules/graphql-functions/dist/esm/chunks/core.js:5035:37)',
  '    at process.processTicksAndRejections (node:internal/process/task_queues:104:5)',
  '    at afterConnect (node:net:1637:16)',
];

function errorWith(message: string, frames: readonly string[], cause?: Error): Error {
  const error = new Error(message, ...(cause === undefined ? [] : [{ cause }]));
  error.stack = [`Error: ${message}`, ...frames].join('\n');
  return error;
}

test('the lines of Node and of packages are removed from a stack, and nothing else of the error', () => {
  const cause = errorWith('ENOENT', [user, ...foreign]);
  const error = Object.assign(errorWith('the table is locked', [user, ...foreign], cause), { code: 'LOCKED' });

  const text = stackOf(error);

  assert.match(text, /^Error: the table is locked\n {4}at read \(file:\/\/\/home\/ada\/[^\n]*\) \{\n {2}code: 'LOCKED',\n/);
  assert.match(text, /\[cause\]: Error: ENOENT\n {6}at read \(/);
  assert.doesNotMatch(text, /node_modules|node:|lines matching/);
});

test('an error without a line of the user is shown with its complete stack', () => {
  const [logger, lines] = recordingLogger();
  const error = errorWith('connect ECONNREFUSED', foreign);

  withUserFrames(logger).error('Unexpected error 2', error);

  assert.equal(lines[0]?.details[0], error);
});

test('an error with extensions and without a line of the user is shown without a stack, because its message says everything', () => {
  const [logger, lines] = recordingLogger();
  const error = new GraphQLError('Expected Iterable');
  error.stack = ['GraphQLError: Expected Iterable', ...foreign].join('\n');
  const failed = Object.assign(errorWith('GET got no answer', foreign, errorWith('bad port', foreign)), {
    extensions: { response: { url: 'http://a/' } },
  });

  withUserFrames(logger).error('Unexpected error 3', error);
  withUserFrames(logger).error('Unexpected error 4', failed);

  assert.match(String(lines[0]?.details[0]), /^_?GraphQLError: Expected Iterable$/);
  assert.match(
    String(lines[1]?.details[0]),
    /^Error: GET got no answer \{\n {2}extensions: [^]*http:\/\/a\/[^]*\[cause\]: Error: bad port/,
  );
  assert.doesNotMatch(String(lines[1]?.details[0]), /node_modules|node:/);
});
