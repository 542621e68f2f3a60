import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { InMemoryLRUCache } from '../../../src/datasources/cache/in-memory.ts';
import { PrefixingKeyValueCache } from '../../../src/datasources/cache/guard.ts';

describe('PrefixingKeyValueCache', () => {
  it('adds its prefix to every key, and sees no entries of other prefixes', async () => {
    const shared = new InMemoryLRUCache();
    const [a, b] = [new PrefixingKeyValueCache(shared, 'a:'), new PrefixingKeyValueCache(shared, 'b:')];

    await a.set('k', '1', { ttl: 60 });

    assert.deepEqual([await a.get('k'), await b.get('k'), await shared.get('a:k')], ['1', undefined, '1']);
    await b.delete('k');
    assert.equal(await a.get('k'), '1');
    await a.delete('k');
    assert.equal(await a.get('k'), undefined);
  });
});
