/** One server-sent event; a comment has neither. */
export interface ServerSentEvent {
  readonly event?: string;
  // Any: tests read properties of answers of many shapes.
  readonly data?: any;
}

/** The text of an event stream → its events. The data is read as JSON unless it is empty. */
export function parseEvents(text: string): ServerSentEvent[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) =>
      Object.fromEntries(
        block
          .split('\n')
          .filter((line) => !line.startsWith(':'))
          .map(parseField),
      ),
    );
}

/** Reads a stream as a client does, which ignores comments. */
export function resultsOf(text: string): unknown[] {
  return parseEvents(text)
    .filter(({ event }) => event === 'next')
    .map(({ data }) => data as unknown);
}

/** Reads a response chunk by chunk, as a client does that shows each event when it arrives. */
export function eventReader(response: Response): { next(): Promise<ServerSentEvent | undefined>; leave(): Promise<void> } {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const events: ServerSentEvent[] = [];
  let rest = '';
  return {
    async next() {
      while (events.length === 0) {
        const { done, value } = await reader.read();
        if (done) return undefined;
        const blocks = (rest + value).split('\n\n');
        rest = blocks.pop() ?? '';
        events.push(...parseEvents(blocks.join('\n\n')).filter(({ event }) => event !== undefined));
      }
      return events.shift();
    },
    leave: () => reader.cancel(),
  };
}

function parseField(line: string): [name: string, value: unknown] {
  const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
  return [name, name === 'data' && value !== '' ? JSON.parse(value) : value];
}
