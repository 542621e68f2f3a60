/** A shared decoder, because a new one takes 3 µs on Deno and 4 on workerd. It keeps no state between complete texts. */
let decoder: InstanceType<typeof TextDecoder> | undefined;

/** The text of bytes, with its byte order mark, because signatures are over all of it. Undefined if they are not valid UTF-8. */
export function textOfUTF8(bytes: Uint8Array | ArrayBuffer): string | undefined {
  try {
    return (decoder ??= new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })).decode(bytes);
  } catch {
    return undefined;
  }
}
