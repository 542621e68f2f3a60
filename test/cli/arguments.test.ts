import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseArguments, UsageError } from '../../src/cli/arguments.ts';

test('dev alone has the defaults', () => {
  assert.deepEqual(parseArguments(['dev']), {
    name: 'dev',
    functions: undefined,
    prefix: '/.netlify/functions',
    port: undefined,
    host: 'localhost',
    env: {},
    query: undefined,
    platform: { platform: 'netlify', stage: undefined, timeout: undefined },
    cold: false,
    freeze: false,
    envFile: undefined,
    open: false,
  });
});

test('every option of dev is read', () => {
  const argv = [
    'dev',
    '--functions',
    'api',
    '--prefix',
    'fn/',
    '--port',
    '0',
    '--host',
    '0.0.0.0',
    '--env',
    'A=1=2',
    '--env',
    'B=',
    '--query',
    '{ a }',
    '--platform',
    'aws-http',
    '--stage',
    'beta',
    '--timeout',
    '2.5',
    '--cold',
    '--freeze',
    '--env-file',
    'test.env',
    '--open',
  ];

  assert.deepEqual(parseArguments(argv), {
    name: 'dev',
    functions: 'api',
    prefix: '/fn',
    port: 0,
    host: '0.0.0.0',
    env: { A: '1=2', B: '' },
    query: '{ a }',
    platform: { platform: 'aws-http', stage: 'beta', timeout: 2500 },
    cold: true,
    freeze: true,
    envFile: 'test.env',
    open: true,
  });
});

test('the prefix / puts names at the root', () => {
  const { prefix } = parseArguments(['dev', '--prefix', '/']) as { prefix: string };

  assert.equal(prefix, '');
});

test('no command, help and --help ask for the usage', () => {
  for (const argv of [[], ['help'], ['--help'], ['dev', '-h']]) assert.deepEqual(parseArguments(argv), { name: 'help' });
});

test('doctor takes an event, check takes patterns', () => {
  assert.deepEqual(parseArguments(['doctor', '--event', 'e.json', '--function', 'a']), {
    name: 'doctor',
    event: 'e.json',
    functions: undefined,
    function: 'a',
    env: {},
  });
  assert.deepEqual(parseArguments(['check', 'a.graphql', '--functions', 'api', 'b.graphql', '--env', 'A=1']), {
    name: 'check',
    documents: ['a.graphql', 'b.graphql'],
    functions: 'api',
    function: undefined,
    env: { A: '1' },
  });
});

for (const [argv, message] of [
  [['serve'], /no command "serve".*dev/s],
  [['dev', '--prot', '1'], /--prot.*--port/s],
  [['dev', '--platform', 'azure'], /netlify, .*alb, fetch, got "azure"/],
  [['dev', '--stage', 'a'], /--platform aws-http or aws-rest, not with netlify/],
  [['dev', '--platform', 'aws-rest', '--stage', 'a/b'], /--stage.*"a\/b"/],
  [['dev', '--timeout', '0'], /--timeout.*"0"/],
  [['doctor'], /--event <file>/],
  [['doctor', '--event', 'e', 'x'], /got "x"/],
  [['check', '--port', '1'], /--port/],
  [['constructor'], /no command "constructor"/],
  [['dev', 'functions'], /Expected options after dev, got "functions"/],
  [['dev', '--port', '80a'], /--port.*"80a"/],
  [['dev', '--port', '65536'], /--port.*"65536"/],
  [['dev', '--env', 'A'], /--env NAME=value, got --env A/],
] as const) {
  test(`"${argv.join(' ')}" is refused in words that say what to write`, () => {
    assert.throws(
      () => parseArguments(argv),
      (error) => error instanceof UsageError && message.test(error.message),
    );
  });
}
