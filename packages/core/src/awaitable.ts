/** A value that is there at once, or comes. */
export type Awaitable<T> = T | Promise<T>

/** Whether a value is still to come. */
export const isPromise = <T>(value: Awaitable<T>): value is Promise<T> =>
  typeof value === 'object' && value !== null && 'then' in value

/**
 * Goes on with a value: at once where it is there, so that what needs no waiting costs no turn of the event loop, and when
 * it comes otherwise.
 */
export const andThen = <T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> =>
  isPromise(value) ? value.then(next) : next(value)
