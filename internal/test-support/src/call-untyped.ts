/** Calls a function as JavaScript does, with arguments of any type. */
export const callUntyped = (called: (...args: never[]) => unknown, ...args: readonly unknown[]): unknown =>
  Reflect.apply(called, undefined, args)
