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
  // Made with the first hash: a cold start that needs none pays nothing.
  primes ??= firstPrimes(64);
  constants ??= Int32Array.from(primes, (prime) => fractionOf(Math.cbrt(prime)));
  const state = Int32Array.from(primes.slice(0, 8), (prime) => fractionOf(prime ** (1 / 2)));
  for (let at = 0; at < blocks.byteLength; at += 64) addBlock(state, blocks, at);
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

/** The first 64. Initial values and constants are the fractional parts of their square and cube roots. */
let primes: readonly number[] | undefined;
let constants: Int32Array | undefined;
const words = new Int32Array(64);

function addBlock(state: Int32Array, blocks: DataView, at: number): void {
  for (let i = 0; i < 64; i++) {
    if (i < 16) {
      words[i] = blocks.getInt32(at + i * 4);
      continue;
    }
    const two = words[i - 2]!;
    const fifteen = words[i - 15]!;
    const s0 = turn(fifteen, 7) ^ turn(fifteen, 18) ^ (fifteen >>> 3);
    const s1 = turn(two, 17) ^ turn(two, 19) ^ (two >>> 10);
    words[i] = words[i - 16]! + s0 + words[i - 7]! + s1;
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number];
  for (let i = 0; i < 64; i++) {
    const t1 = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + constants![i]! + words[i]!;
    const t2 = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    // One by one: to take an array apart is ten times as slow in a cold start. `| 0` is modulo 2 ** 32.
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0; // oxlint-disable-line unicorn/prefer-math-trunc
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0; // oxlint-disable-line unicorn/prefer-math-trunc
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

/** The sieve of Eratosthenes: the 64th is 311. */
function firstPrimes(count: number): number[] {
  const found: number[] = [];
  const isComposite = new Uint8Array(count * 8);
  for (let n = 2; found.length < count; n++) {
    if (isComposite[n] === 1) continue;
    found.push(n);
    for (let multiple = n * n; multiple < isComposite.length; multiple += n) isComposite[multiple] = 1;
  }
  return found;
}
