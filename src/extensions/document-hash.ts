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
  for (let at = 0; at < blocks.byteLength; at += 64) addBlock(state, { blocks, at, cubeRoots: constants });
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

/** The first 64. Initial values and constants are the fractional parts of their square and cube roots. */
let primes: readonly number[] | undefined;
let constants: Int32Array | undefined;
const words = new Int32Array(64);

interface Block {
  readonly blocks: DataView;
  readonly at: number;
  readonly cubeRoots: Int32Array;
}

function addBlock(state: Int32Array, { blocks, at, cubeRoots }: Block): void {
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
  // Plain assignments: this runs once in a cold start, where taking arrays apart is ten times as slow.
  let a = state[0]!;
  let b = state[1]!;
  let c = state[2]!;
  let d = state[3]!;
  let e = state[4]!;
  let f = state[5]!;
  let g = state[6]!;
  let h = state[7]!;
  for (let i = 0; i < 64; i++) {
    const t1 = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + cubeRoots[i]! + words[i]!;
    const t2 = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    // oxlint-disable-next-line unicorn/prefer-math-trunc -- modulo 2 ** 32
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    // oxlint-disable-next-line unicorn/prefer-math-trunc -- modulo 2 ** 32
    a = (t1 + t2) | 0;
  }
  state[0]! += a;
  state[1]! += b;
  state[2]! += c;
  state[3]! += d;
  state[4]! += e;
  state[5]! += f;
  state[6]! += g;
  state[7]! += h;
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
