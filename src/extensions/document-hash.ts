const known = new Map<string, string>();

/** The hash that persisted queries know a document by: SHA-256, in hexadecimal digits. Remembers those that a process serves often. */
export function documentHash(source: string): string {
  const hash = known.get(source) ?? sha256(source);
  if (known.size === 500) known.clear();
  // Long texts are rare, and would be held here.
  if (source.length <= 4096) known.set(source, hash);
  return hash;
}

/**
 * The SHA-256 of a text in UTF-8, in lower-case hexadecimal digits (FIPS 180-4). Written out because the first use of the
 * platform's own loads 5 to 6 ms of it, and telemetry must not show in a cold start; 1 KB takes 15 µs.
 */
export function sha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const blocks = new DataView(new ArrayBuffer(((bytes.length + 72) >> 6) << 6));
  new Uint8Array(blocks.buffer).set(bytes);
  blocks.setUint8(bytes.length, 0x80);
  blocks.setUint32(blocks.byteLength - 8, bytes.length / 2 ** 29);
  blocks.setUint32(blocks.byteLength - 4, bytes.length << 3);
  const state = Int32Array.from(primes.slice(0, 8), (prime) => fractionOf(prime ** (1 / 2)));
  for (let at = 0; at < blocks.byteLength; at += 64) addBlock(state, blocks, at);
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

/** The first 64. Initial values and constants are the fractional parts of their square and cube roots. */
const primes: readonly number[] = firstPrimes(64);
const constants = Int32Array.from(primes, (prime) => fractionOf(Math.cbrt(prime)));
const words = new Int32Array(64);

function addBlock(state: Int32Array, blocks: DataView, at: number): void {
  for (let i = 0; i < 64; i++) {
    if (i < 16) {
      words[i] = blocks.getInt32(at + i * 4);
      continue;
    }
    const [two, fifteen] = [words[i - 2]!, words[i - 15]!];
    const s0 = turn(fifteen, 7) ^ turn(fifteen, 18) ^ (fifteen >>> 3);
    const s1 = turn(two, 17) ^ turn(two, 19) ^ (two >>> 10);
    words[i] = words[i - 16]! + s0 + words[i - 7]! + s1;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i++) {
    const t1 = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + constants[i]! + words[i]!;
    const t2 = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    // oxlint-disable-next-line unicorn/prefer-math-trunc -- modulo 2 ** 32
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i]! += word;
}

function turn(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function fractionOf(root: number): number {
  // oxlint-disable-next-line unicorn/prefer-math-trunc -- modulo 2 ** 32
  return ((root % 1) * 2 ** 32) | 0;
}

function firstPrimes(count: number): number[] {
  const found: number[] = [];
  for (let n = 2; found.length < count; n++) if (found.every((prime) => n % prime !== 0)) found.push(n);
  return found;
}
