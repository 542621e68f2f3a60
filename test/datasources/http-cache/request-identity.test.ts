import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import {
  comparableVary,
  describeSelection,
  hidesUser,
  identityOf,
  isSameIdentity,
  isSelected,
  namesUser,
  parseVary,
} from '../../../src/datasources/http-cache/request-identity.ts';
import type { RequestIdentity, SelectionSource } from '../../../src/datasources/http-cache/request-identity.ts';

const sourceOf = (headers: Record<string, string> | undefined, rest: object = {}): SelectionSource => ({
  key: 'GET https://api.example/',
  request: { headersIfAny: headers && new Headers(headers), fetchOptions: undefined } as never,
  shareableHeaders: [],
  cacheIdentity: undefined,
  usesHTTPFetch: true,
  ...rest,
});

describe('a response', () => {
  for (const [field, names] of [
    ['Accept, ,X-User,', ['accept', 'x-user']],
    ['*', undefined],
    ['Accept, no name', undefined],
  ] as const)
    it(`with Vary: ${field} varies by ${names?.join(' and ') ?? 'what is unknown'}`, () => {
      assert.deepEqual(parseVary(field), names);
    });

  for (const [headers, field, expected] of [
    [{ 'x-user': 'ada' }, 'x-user', ['x-user']],
    [{}, 'x-user', undefined],
    [undefined, 'x-user', undefined],
    [undefined, 'accept', ['accept']],
    [{ 'x-user': 'ada' }, 'accept, x-user', ['accept', 'x-user']],
  ] as const)
    it(`with Vary: ${field} to a request with ${JSON.stringify(headers)}, to which httpFetch may add fields, can${expected ? '' : 'not'} be compared by it`, () => {
      assert.deepEqual(comparableVary(sourceOf(headers), field), expected);
    });

  it('for everybody has no hash of a user, and is for a request of any user', () => {
    const selection = describeSelection(sourceOf({ authorization: 'ada' }), { audience: 'everybody', vary: ['accept'] });

    assert.deepEqual(selection, { audience: 'everybody', audienceHash: '', vary: { accept: null } });
    assert.equal(isSelected(sourceOf({ authorization: 'eve' }), selection), true);
  });
});

describe('a field that the request does not have', () => {
  for (const [what, name, cacheIdentity, isKnown] of [
    ['is replaced by cacheIdentity if it may identify a user', 'x-user', 'ada', true],
    ['stays unknown without cacheIdentity', 'x-user', undefined, false],
    ['stays unknown if it identifies nobody', 'accept', 'ada', false],
  ] as const)
    it(what, () => {
      const { vary } = describeSelection(sourceOf({}, { cacheIdentity }), { audience: 'everybody', vary: [name] });

      assert.equal(vary[name] !== null, isKnown);
    });
});

describe('credentials', () => {
  it('identify the user, unless the API declares them shareable', () => {
    const names = [[], ['authorization']].map((shareableHeaders) => namesUser(sourceOf({ authorization: 'ada' }, { shareableHeaders })));

    assert.deepEqual(names, [true, false]);
  });
});

describe('an option of fetch', () => {
  const requestWith = (agent: unknown): never => ({ headersIfAny: undefined, fetchOptions: { agent } }) as never;
  const identityWith = (agent: unknown): RequestIdentity => identityOf(requestWith(agent), undefined);

  for (const [what, create] of [
    ['an object', () => ({})],
    ['a function', () => () => {}],
  ] as const)
    it(`that is ${what} is equal to itself, and to no other one`, () => {
      const agent = create();

      assert.equal(isSameIdentity(identityWith(agent), identityWith(agent)), true);
      assert.equal(isSameIdentity(identityWith(agent), identityWith(create())), false);
    });

  for (const [agent, usesHTTPFetch, cacheIdentity, expected] of [
    [{}, false, undefined, true],
    [() => {}, false, undefined, true],
    [{}, false, '', false],
    ['http://ada:secret@proxy.test', false, undefined, false],
    [undefined, false, undefined, false],
    [undefined, true, undefined, true],
    [undefined, true, '', false],
    [undefined, true, 'ada', false],
  ] as const)
    it(`that is ${typeof agent} ${expected ? 'hides' : 'does not hide'} the user, ${usesHTTPFetch ? 'with' : 'without'} httpFetch and with the cacheIdentity ${cacheIdentity}`, () => {
      assert.equal(hidesUser(sourceOf({}, { request: requestWith(agent), cacheIdentity, usesHTTPFetch })), expected);
    });
});
