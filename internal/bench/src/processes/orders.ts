/**
 * What a program can be told over Node's IPC channel: a name, one argument, one answer. A program declares an interface of
 * functions; `serveOrders` takes its implementation, `startProgram` gives the parent the same functions to call.
 */
export type Orders<O> = { readonly [Name in keyof O]: (argument: never) => Promise<unknown> }

/** An order on its way. */
export interface OrderMessage {
  readonly number: number
  readonly name: string
  readonly argument: never
}

/** What comes back, once for each order. */
export type AnswerMessage =
  | { readonly number: number; readonly answer: unknown }
  | { readonly number: number; readonly failure: string }
