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
  const options = '--functions api --prefix fn/ --port 0 --host 0.0.0.0 --env A=1=2 --env B= --platform aws-http --timeout 2';

  assert.deepEqual(parseArguments(['dev', ...options.split(' '), '--query', '{ a }', '--env-file', 'test.env']), {
    name: 'dev',
    functions: 'api',
    prefix: '/fn',
    port: 0,
    host: '0.0.0.0',
    env: { A: '1=2', B: '' },
    query: '{ a }',
    platform: { platform: 'aws-http', timeout: 2000 },
    envFile: 'test.env',
  });
  assert.equal((parseArguments(['dev', '--prefix', '/']) as { prefix: string }).prefix, '');
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

test('check takes patterns, and build flags of Node', () => {
  const function_ = { functions: 'api', function: undefined, env: { A: '1' } };
  const options = ['--functions', 'api', '--env', 'A=1'];

  assert.deepEqual(parseArguments(['check', 'a.graphql', ...options, 'b.graphql', '--json']), {
    name: 'check',
    documents: ['a.graphql', 'b.graphql'],
    json: true,
    verbose: false,
    built: undefined,
    ...function_,
  });
  assert.deepEqual(parseArguments(['build', ...options, '--out', 'out', '--node-flags=--a  --b=1']), {
    name: 'build',
    out: 'out',
    nodeFlags: ['--a', '--b=1'],
    ...function_,
  });
});

for (const [argv, message] of [
  [['deploy'], /Unknown command "deploy"\. Commands: init, dev, check/],
  [['chek'], /Did you mean "check"/],
  [['dev', '--prot', '1'], /^Unknown option '--prot'\. Did you mean "--port"\?\nSee graphql-functions dev --help$/],
  [['dev', '--port'], /^Option '--port <value>' argument missing\n/],
  [['dev', '--query', '--port'], /^Option '--query' argument is ambiguous\.[^]*use '--query=-XYZ'\./],
  [['init', '--subgraph=yes'], /^Option '--subgraph' does not take an argument\n/],
  [['dev', '--platform', 'azure'], /netlify, .*alb, fetch, got "azure"/],
  [['dev', '--timeout', '0'], /--timeout.*"0"/],
  [['check', '--port', '1'], /--port/],
  [['build'], /^build requires --out <folder>/],
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
