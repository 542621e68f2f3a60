import { byteLength, textOfUTF8 } from '../../shared/index.ts';
import type { HTTPRequestBody } from '../../shared/index.ts';
import { parseError, RPCError } from './messages.ts';

/** The most objects and lists of a message: 1 MiB of `{}` would be 50 MB of memory. */
const maxContainers = 50_000;

/** The JSON of a request's body. Throws an RPCError if it is none, or too large. */
export async function readJSON(body: HTTPRequestBody, maxBytes: number): Promise<unknown> {
  const text = await textOf(body, maxBytes);
  let containers = 0;
  for (let at = 0; at < text.length; at++) if (text[at] === '{' || text[at] === '[') containers++;
  if (containers > maxContainers) throw refusal(400, `Expected at most ${maxContainers} objects and lists.`);
  try {
    return JSON.parse(text);
  } catch {
    // The engine's message quotes the body, which may contain a password.
    throw refusal(400, 'Expected the body to be JSON, but it does not parse.');
  }
}

async function textOf(body: HTTPRequestBody, maxBytes: number): Promise<string> {
  const given =
    body.kind === 'text'
      ? body.text
      : body.kind === 'bytes'
        ? body.bytes
        : body.kind === 'stream'
          ? new Uint8Array(await body.read(maxBytes))
          : // Middleware has parsed it.
            JSON.stringify(body.kind === 'value' ? body.value : undefined);
  if (given === undefined) return '';
  if ((typeof given === 'string' ? byteLength(given) : given.length) > maxBytes)
    throw refusal(413, `Expected a body of at most ${maxBytes} bytes.`);
  const text = typeof given === 'string' ? given : textOfUTF8(given);
  if (text === undefined) throw refusal(400, 'Expected the body to be UTF-8 text, but its bytes are not.');
  return text;
}

function refusal(status: number, message: string): RPCError {
  return new RPCError(status, parseError, message);
}
