import { equal } from 'node:assert/strict';
import { test } from 'node:test';

import { byteLength } from '../../../src/shared/byte-length.ts';
import { excessOf } from '../../../src/shared/index.ts';

/** Bytes that the size counts beside the body as JSON. */
const beside = 4096;

const texts: Readonly<Record<string, string>> = {
  'few escapes': JSON.stringify({ text: 'a'.repeat(2000) }),
  'only quotes and backslashes': JSON.stringify('"\\'.repeat(500)).replace(/^"(.*)"$/, '["$1"]'),
  'characters of two and three bytes': JSON.stringify({ text: 'äß漢字'.repeat(300) }),
  'surrogate pairs': JSON.stringify({ text: '😀'.repeat(300) }),
  'halves of surrogate pairs, which JSON escapes': `{"text":"${'\ud83d'.repeat(300)}"}`,
  'line breaks and tabs': JSON.stringify({ list: Array.from({ length: 300 }, (_, at) => at) }, null, '\t'),
  'no JSON, with control characters': 'a\u0007'.repeat(500),
};

for (const [name, text] of Object.entries(texts)) {
  test(`an answer fits exactly up to the platform's limit for the result as JSON: ${name}`, () => {
    const bytes = byteLength(JSON.stringify(text)) + beside;
    const sizeWith = (maxResultBytes: number) => ({ platform: { name: 'the platform', maxResultBytes }, maxBytes: Infinity });

    equal(excessOf(sizeWith(bytes), text), undefined);
    equal(excessOf(sizeWith(bytes - 1), text)?.bytes, bytes);
    equal(excessOf(sizeWith(Infinity), text), undefined);
  });
}

test('an answer whose body is the result is counted without escapes', () => {
  const body = JSON.stringify({ text: '"'.repeat(1000) });
  const sizeWith = (maxResultBytes: number) => ({
    platform: { name: 'the platform', maxResultBytes, bodyIsResult: true },
    maxBytes: Infinity,
  });

  equal(excessOf(sizeWith(body.length), body), undefined);
  equal(excessOf(sizeWith(body.length - 1), body)?.bytes, body.length);
});
