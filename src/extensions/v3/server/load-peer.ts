/** Loads an optional peer of the project, or throws an error that says how to get it. `need` says what for. */
export function loadPeer(name: string, need: string): unknown {
  const module = globalThis.process?.getBuiltinModule?.('node:module');
  if (module === undefined) throw new Error(`${need}: ${name}, which can be loaded in Node.js only.`);
  // From the project, not from this package: a peer is the project's own.
  const requireFromProject = module.createRequire(`${process.cwd()}/package.json`);
  try {
    return requireFromProject(name) as unknown;
  } catch (error) {
    throw new Error(
      `${need}: install it with "npm install ${name}". (${error instanceof Error ? error.message.split('\n')[0] : String(error)})`,
      {
        cause: error,
      },
    );
  }
}
