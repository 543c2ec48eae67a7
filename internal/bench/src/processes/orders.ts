/**
 * The orders of a program over Node's IPC channel: each has a name, one argument and one result. A program declares an interface
 * of functions. `serveOrders` takes its implementation, and `startProgram` lets the parent call the same functions.
 */
export type Orders<O> = { readonly [Name in keyof O]: (argument: never) => Promise<unknown> }

/** An order as it is sent. */
export interface OrderMessage {
  readonly number: number
  readonly name: string
  readonly argument: never
}

/** The result of an order. */
export type ResultMessage =
  | { readonly number: number; readonly result: unknown }
  | { readonly number: number; readonly failure: string }
