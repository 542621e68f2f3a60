/** Loads an optional peer of the project, or throws an error that says how to get it. `need` says what for. */
export function loadPeer(name: string, need: string): unknown {
  const module = globalThis.process?.getBuiltinModule?.('node:module');
  if (module === undefined) throw new Error(`${need}: ${name}, which can be loaded in Node.js only.`);
  // The project's own first; else what lies beside the program, which may have been started elsewhere.
  const places = [`${process.cwd()}/package.json`, process.argv[1]].filter((place) => place !== undefined);
  let failure: unknown;
  for (const place of places) {
    try {
      return module.createRequire(place)(name) as unknown;
    } catch (error) {
      failure ??= error;
    }
  }
  const reason = failure instanceof Error ? failure.message.split('\n')[0] : String(failure);
  throw new Error(`${need}: install it with "npm install ${name}". (${reason})`, { cause: failure });
}
