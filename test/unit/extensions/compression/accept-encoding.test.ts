import assert from 'node:assert/strict';
import { test } from 'node:test';

import { chooseCoding } from '../../../../src/extensions/compression/index.ts';

const cases: readonly (readonly [acceptEncoding: string | null, coding: 'br' | 'gzip' | undefined])[] = [
  [null, undefined],
  ['', undefined],
  ['gzip', 'gzip'],
  ['br', 'br'],
  ['GZIP', 'gzip'],
  ['x-gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['br;q=0.8, gzip', 'gzip'],
  ['br ; q=1.000 , gzip;q=0.999', 'br'],
  ['br;Q=0.1,gzip;Q=0.2', 'gzip'],
  ['br;q=0, gzip;q=0', undefined],
  ['gzip;q=0.0', undefined],
  ['*', 'br'],
  ['*;q=0.5', 'br'],
  ['*;q=0', undefined],
  ['br;q=0, *', 'gzip'],
  ['gzip;q=0.2, *;q=0', 'gzip'],
  ['identity', undefined],
  ['identity;q=0', undefined],
  ['identity;q=0.5, gzip;q=0.4', undefined],
  ['identity;q=0.5, gzip;q=0.5', 'gzip'],
  ['deflate, zstd', undefined],
  ['gzip;q=2', undefined],
  ['gzip;q=0.1234', undefined],
  ['gzip;q=', undefined],
  ['gzip;q=-1, br;q=high', undefined],
  [`${'a,'.repeat(10_000)}gzip`, undefined],
];

for (const [acceptEncoding, coding] of cases)
  test(`Accept-Encoding ${String(acceptEncoding).slice(0, 40)}: ${coding ?? 'unchanged'}`, () =>
    assert.equal(chooseCoding(acceptEncoding), coding));
