/** One operation as a client asks for it: the fields of the specification's operation request. */
export interface GraphQLRequest {
  /** The text of a GraphQL document. Absent only when a persisted query stands for it. */
  readonly query?: string | undefined;
  /** Selects the operation to run when the document holds several. */
  readonly operationName?: string | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  /** The id of a trusted document, where the server has some. */
  readonly documentId?: string | undefined;
  /** What protocol extensions add, for example `persistedQuery`. */
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}
