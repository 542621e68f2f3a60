/** The JSON of every part of a multipart body, parsed according to RFC 2046. */
export function parseParts(body: string, boundary = '-'): unknown[] {
  const delimiter = `\r\n--${boundary}`;
  const [preamble, ...parts] = body.split(delimiter);
  const epilogue = parts.pop();
  if (preamble !== '' || epilogue !== '--\r\n') throw new Error(`Not a whole multipart body: ${JSON.stringify(body)}`);
  return parts.map((part) => {
    const [head, json] = part.split('\r\n\r\n', 2);
    if (head !== '\r\ncontent-type: application/json; charset=utf-8') throw new Error(`Unexpected head of a part: ${JSON.stringify(head)}`);
    return JSON.parse(json!);
  });
}

/** Reads a body piece by piece, as text. */
export function chunkReader(response: Response): { next(): Promise<string | undefined>; cancel(): Promise<void> } {
  const reader = response.body!.pipeThrough(new TextDecoderStream() as never).getReader() as ReadableStreamDefaultReader<string>;
  return {
    next: async () => (await reader.read()).value,
    cancel: () => reader.cancel(),
  };
}
