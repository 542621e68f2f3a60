/** One call of a fetch function. */
export interface FetchCall {
  readonly url: string;
  readonly init: RequestInit | undefined;
}

/** A fetch function that answers from a function of the URL, and the list of its calls. Default answer: `{}` as JSON. */
export function recordingFetch(
  answer: (url: string, init?: RequestInit) => Response | Promise<Response> = () => Response.json({}),
): [fetch: typeof globalThis.fetch, calls: FetchCall[]] {
  const calls: FetchCall[] = [];
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const url = input instanceof Request ? input.url : String(input);
    calls.push({ url, init });
    return answer(url, init);
  };
  return [fetch, calls];
}
