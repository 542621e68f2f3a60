/** What a request is made of. */
export interface SubscriptionRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Query, variables, name of the operation. */
  readonly parameters: object;
}

/**
 * The results of a subscription, read from server-sent events. GraphiQL knows subscriptions by WebSocket only, but takes
 * whatever can be iterated, and calls `return` when its button is pressed.
 */
export function subscribe(request: SubscriptionRequest): AsyncIterableIterator<object> {
  const leaving = new AbortController();
  const results = readResults(request, leaving.signal);
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next: () => results.next(),
    // Not the generator's own: that would wait for the next event before it ends.
    return: async () => {
      leaving.abort();
      return { done: true, value: undefined };
    },
  };
}

async function* readResults({ url, headers, parameters }: SubscriptionRequest, signal: AbortSignal): AsyncGenerator<object, void> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify(parameters),
      signal,
    });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (isStream && response.body !== null) yield* readEvents(response.body);
    else yield (await response.json()) as object;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function* readEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<object, void> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (text + value).split('\n\n');
    text = events.pop() ?? '';
    for (const event of events) {
      const data = /^event: next\ndata: (.*)$/.exec(event)?.[1];
      // Comments keep the connection open, and say nothing.
      if (data !== undefined) yield JSON.parse(data) as object;
    }
  }
}
