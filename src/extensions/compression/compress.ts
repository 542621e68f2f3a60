import type { Coding } from './accept-encoding.ts';

/** Brotli's default of 11 is for files that are compressed once. 4 takes about as long as gzip, and the result is smaller. */
const brotliQuality = 4;

/** The compressed text in base64. Undefined without Node's zlib. Works in Node's thread pool. */
export async function compress(text: string, coding: Coding): Promise<string | undefined> {
  // An import would make bundlers for the web fail.
  const zlib = globalThis.process?.getBuiltinModule?.('node:zlib');
  if (zlib === undefined) return undefined;
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, result: Buffer): void => {
      if (error === null) resolve(result.toString('base64'));
      else reject(error);
    };
    if (coding === 'gzip') zlib.gzip(text, done);
    else zlib.brotliCompress(text, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: brotliQuality } }, done);
  });
}
