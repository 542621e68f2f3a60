/** Parses JSON in which custom scalars have written numbers with `JSON.rawJSON`: those that JavaScript would round keep their text. */
export function parseExactly(text: string): unknown {
  const value: unknown = JSON.parse(text);
  // A reviver takes ten times as long, and few answers have such numbers.
  return JSON.stringify(value) === text ? value : JSON.parse(text, keepNumber);
}

function keepNumber(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined || String(value) === source) return value;
  return (JSON as unknown as { rawJSON: (source: string) => unknown }).rawJSON(source);
}
