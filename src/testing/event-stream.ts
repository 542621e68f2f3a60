/** The results of an event stream, one after the other. Whoever stops reading ends the subscription. */
export async function* readResults(response: Response): AsyncGenerator<unknown, void> {
  const reader = (response.body ?? new Blob([]).stream()).pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new Error('The event stream broke off: it ended without the event "complete".');
      const events = (text + value).split('\n\n');
      text = events.pop() ?? '';
      for (const event of events) {
        if (/^event: complete$/m.test(event)) return;
        const [, data] = /^data: (.*)$/m.exec(event) ?? [];
        // Comments keep the connection open, and say nothing.
        if (data !== undefined) yield JSON.parse(data);
      }
    }
  } finally {
    await reader.cancel();
  }
}
