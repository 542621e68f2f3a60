import assert from 'node:assert/strict';
import { test } from 'node:test';

import { commands, parseArguments } from '../../../../src/tools/cli/command-table.ts';
import { UsageError } from '../../../../src/tools/cli/read-options.ts';

test('dev without options has the defaults', () => {
  assert.deepEqual(parseArguments(['dev']), {
    name: 'dev',
    functions: undefined,
    prefix: '/.netlify/functions',
    port: 8888,
    host: 'localhost',
    env: {},
    query: undefined,
    platform: { platform: 'netlify', timeout: undefined },
    envFile: undefined,
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
    '--timeout',
    '2.5',
    '--env-file',
    'test.env',
  ];

  assert.deepEqual(parseArguments(argv), {
    name: 'dev',
    functions: 'api',
    prefix: '/fn',
    port: 0,
    host: '0.0.0.0',
    env: { A: '1=2', B: '' },
    query: '{ a }',
    platform: { platform: 'aws-http', timeout: 2500 },
    envFile: 'test.env',
  });
});

test('with the prefix /, functions are served at the root', () => {
  const { prefix } = parseArguments(['dev', '--prefix', '/']) as { prefix: string };

  assert.equal(prefix, '');
});

test('no command, help and --help list the commands, and the options of one if it is named', () => {
  const textOf = (argv: readonly string[]): string => {
    const parsed = parseArguments(argv);
    return parsed.name === 'help' ? parsed.text : assert.fail(parsed.name);
  };
  for (const argv of [[], ['help'], ['--help'], ['-h']])
    assert.deepEqual(
      Array.from(textOf(argv).matchAll(/^ {2}(\w+)/gm), ([, name]) => name),
      Object.keys(commands),
    );

  assert.match(textOf(['dev', '--port', '0', '-h']), /^graphql-functions dev \[options\]\n[^]*\n {2}--port <number> +0: any free port/);
  for (const name of Object.keys(commands))
    assert.deepEqual(
      textOf([name, '--help'])
        .split('\n')
        .filter((line) => line.length > 80 || line.includes('`') !== line.includes('gql`…`')),
      [],
    );
});

test('version, --version and -v print the version', () => {
  for (const word of ['version', '--version', '-v']) assert.deepEqual(parseArguments([word]), { name: 'version' });
});

test('check takes patterns', () => {
  assert.deepEqual(
    parseArguments(['check', 'a.graphql', '--functions', 'api', 'b.graphql', '--documents', 'c', '--env', 'A=1', '--json']),
    {
      name: 'check',
      documents: ['a.graphql', 'b.graphql', 'c'],
      json: true,
      built: undefined,
      functions: 'api',
      function: undefined,
      env: { A: '1' },
    },
  );
});

test('build takes a function, by its name after the options or by --function', () => {
  const defaults = {
    name: 'build',
    function: undefined,
    functions: undefined,
    out: 'out',
    nodeFlags: ['--expose-gc'],
    env: {},
  };

  assert.deepEqual(parseArguments(['build', '--out', 'out']), defaults);
  assert.deepEqual(parseArguments(['build', 'books', '--out', 'out']), { ...defaults, function: 'books' });
  assert.deepEqual(parseArguments(['build', '--function', 'books', '--out', 'out', '--node-flags=--a  --b=1']), {
    ...defaults,
    function: 'books',
    nodeFlags: ['--a', '--b=1'],
  });
});

for (const [argv, message] of [
  [['deploy'], /Unknown command "deploy"\. Commands: init, dev, check/],
  [['chek'], /Did you mean "check"/],
  [['dev', '--prot', '1'], /^Unknown option '--prot'\. Did you mean "--port"\?\nSee graphql-functions dev --help$/],
  [['dev', '-p', '1'], /^Unknown option '-p'\./],
  [['dev', '--constructor'], /Unknown option '--constructor'/],
  [['dev', '--port'], /^Option '--port <value>' argument missing\n/],
  [['dev', '--query', '--port'], /^Option '--query' argument is ambiguous\.[^]*use '--query=-XYZ'\./],
  [['init', '--subgraph=yes'], /^Option '--subgraph' does not take an argument\n/],
  [['dev', '--platform', 'azure'], /netlify, .*alb, fetch, got "azure"/],
  [['dev', '--timeout', '0'], /--timeout.*"0"/],
  [['check', '--port', '1'], /--port/],
  [['build'], /^build requires --out <folder>/],
  [['build', 'a', 'b'], /Unexpected argument "b"/],
  [['constructor'], /Unknown command "constructor"/],
  [['dev', 'functions'], /Unexpected argument "functions" after dev/],
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
