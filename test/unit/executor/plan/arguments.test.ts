import { deepEqual, equal } from 'node:assert/strict';
import { describe, it } from 'node:test';

import { versionInfo } from 'graphql';

import { runBoth } from '../../../support/differential/both-executors.ts';

const typeDefs = `
  enum Color { RED GREEN }
  input Box { size: Int = 5  label: String }
  type Query { ask(number: Int, text: String = "given", color: Color = RED, box: Box, ids: [ID!], must: Boolean!, spare: Int! = 3): String }
`;
const functions = { Query: { ask: (_: unknown, args: unknown) => JSON.stringify(args) } };
const ask = async (text: string, variables?: Record<string, unknown>): Promise<unknown> => {
  const { data, errors } = await runBoth({ typeDefs, functions, text, ...(variables && { variables }) });
  return errors?.[0]?.message ?? JSON.parse(data?.['ask'] as string);
};

describe('arguments', () => {
  it('are literals, with the defaults of the schema for omitted arguments', async () => {
    deepEqual(await ask('{ ask(must: true, number: 3, color: GREEN) }'), {
      number: 3,
      text: 'given',
      color: 'GREEN',
      must: true,
      spare: 3,
    });
  });

  it('are null if the document says so, even if there is a default', async () => {
    deepEqual(await ask('{ ask(must: true, text: null, number: null) }'), { number: null, text: null, color: 'RED', must: true, spare: 3 });
  });

  it('are lists and input objects, with their defaults', async () => {
    deepEqual(await ask('{ ask(must: true, box: { label: "x" }, ids: "one") }'), {
      text: 'given',
      color: 'RED',
      box: { size: 5, label: 'x' },
      ids: ['one'],
      must: true,
      spare: 3,
    });
  });

  it('are variables with the given value, with the default of the operation, or omitted', async () => {
    const text =
      'query ($number: Int, $text: String, $ids: [ID!] = ["d"], $must: Boolean!) { ask(number: $number, text: $text, ids: $ids, must: $must) }';

    deepEqual(await ask(text, { number: 1, must: false }), { number: 1, text: 'given', color: 'RED', ids: ['d'], must: false, spare: 3 });
    deepEqual(await ask(text, { number: null, text: null, ids: [1], must: true }), {
      number: null,
      text: null,
      color: 'RED',
      ids: ['1'],
      must: true,
      spare: 3,
    });
  });

  it('can contain variables in lists and input objects', async () => {
    const text = 'query ($size: Int, $id: ID!) { ask(must: true, box: { size: $size }, ids: [$id]) }';

    deepEqual(await ask(text, { id: 'a' }), { text: 'given', color: 'RED', box: { size: 5 }, ids: ['a'], must: true, spare: 3 });
  });

  it('that are null for a non-null type are an error of the field', async () => {
    const text = 'query ($spare: Int = 4) { ask(must: true, spare: $spare) }';

    deepEqual(await ask(text), { text: 'given', color: 'RED', must: true, spare: 4 });
    equal(typeof (await ask(text, { spare: null })), 'string');
  });

  it('named like a property of Object.prototype are not read from it', async () => {
    const { data } = await runBoth({
      typeDefs: 'type Query { ask(constructor: Int): String }',
      functions,
      text: 'query ($constructor: Int) { ask(constructor: $constructor) }',
    });

    deepEqual(data, { ask: '{}' });
  });

  it('are passed in a new object for each call, with the same prototype as in the installed graphql-js', async () => {
    const seen: object[] = [];
    const remember = (_: unknown, args: object): string => {
      seen.push(args);
      return String(Object.getPrototypeOf(args) === null);
    };

    const { data } = await runBoth({
      typeDefs,
      functions: { Query: { ask: remember } },
      text: '{ ask(must: true) again: ask(must: true) }',
    });

    deepEqual(data, { ask: String(versionInfo.major >= 17), again: String(versionInfo.major >= 17) });
    equal(new Set(seen).size, seen.length);
  });

  it('with variables that cannot be coerced make the whole operation fail', async () => {
    const { data, errors } = await runBoth({
      typeDefs,
      functions,
      text: 'query ($number: Int) { ask(must: true, number: $number) }',
      variables: { number: 'x' },
    });

    equal(data, undefined);
    equal(errors?.length, 1);
  });
});
