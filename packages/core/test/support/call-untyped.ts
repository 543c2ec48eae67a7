/** Calls a function as JavaScript would: with whatever the test hands in. */
export const callUntyped = (called: (...args: never[]) => unknown, ...args: readonly unknown[]): unknown =>
  Reflect.apply(called, undefined, args)
