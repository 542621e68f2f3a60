/**
 * The editors' background work. One file for all kinds of it, told apart by the worker's name, because they have most
 * of their code in common. Each part listens for messages from when it is loaded: a message cannot come before, for
 * it waits until this script and its promises have run.
 */
switch (self.name) {
  case 'json':
    void import('monaco-editor/esm/vs/language/json/json.worker.js');
    break;
  case 'graphql':
    void import('monaco-graphql/esm/graphql.worker.js');
    break;
  default:
    void import('monaco-editor/esm/vs/editor/editor.worker.js');
}
