import { AsyncLocalStorage } from 'node:async_hooks'

/** What happens to a call that waits: nothing is done before it is said so. */
export interface HeldCall {
  /** Whose process sent it. */
  readonly instance: string
  /** On whose behalf. */
  readonly operation: number | undefined
  readonly title: string
  /** The method that was called. */
  readonly method: string
  readonly args: readonly unknown[]
  /** Lets the next thing happen to it: first its work, then its answer. */
  readonly advance: () => Promise<void>
  /** Answers with a failure, before its work (which then is never done) or after. */
  readonly fail: () => void
  /** Its sender is gone: the work may still be done, and nobody hears the answer. */
  readonly orphan: () => void
}

/** Calls between processes and what they share, each held twice: before its work and before its answer. */
export interface HeldCalls {
  readonly waiting: readonly HeldCall[]
  /** Makes a copy of a port whose methods are held. */
  readonly hold: <T extends object>(instance: string, name: string, port: T, onDone?: OnDone) => T
  /** Drops what waits and was not done. */
  readonly drop: (call: HeldCall) => void
}

/** Hears what a held call did, at the instant of its work; `operation` is the one that sent it. */
type OnDone = (done: {
  readonly method: string
  readonly args: readonly unknown[]
  readonly operation: number | undefined
}) => void

/** The operation on whose behalf a call is sent. */
export const currentOperation = new AsyncLocalStorage<number>()

export const createHeldCalls = (note: (step: string) => void): HeldCalls => {
  const waiting: HeldCall[] = []
  const drop = (call: HeldCall): void => {
    const place = waiting.indexOf(call)
    if (place !== -1) waiting.splice(place, 1)
  }

  const send = (
    sent: Pick<HeldCall, 'instance' | 'operation' | 'title' | 'method' | 'args'>,
    work: () => Promise<unknown>,
  ): Promise<unknown> =>
    new Promise((resolve, reject) => {
      let answer: (() => void) | undefined
      let isHeard = true
      const { title } = sent
      const call: HeldCall = {
        ...sent,
        advance: async () => {
          if (answer === undefined) {
            note(`${title} is done`)
            answer = await work().then(
              (value) => () => resolve(value),
              (reason: unknown) => () => reject(reason),
            )
            if (!isHeard) drop(call)
            return
          }
          note(`${title} is answered`)
          drop(call)
          answer()
        },
        fail: () => {
          note(`${title} fails ${answer === undefined ? 'before it is done' : 'after it was done'}`)
          drop(call)
          // A sender that is gone does not go on over it.
          if (isHeard) reject(new Error('The connection is lost.'))
        },
        orphan: () => {
          isHeard = false
          if (answer !== undefined) drop(call)
        },
      }
      waiting.push(call)
    })

  return {
    waiting,
    drop,
    hold: (instance, name, port, onDone = () => {}) =>
      new Proxy(port, {
        get: (_, method) => {
          const called = Reflect.get(port, method)
          if (typeof called !== 'function') return called
          return (...args: readonly unknown[]) => {
            const operation = currentOperation.getStore()
            const title = `${instance}: ${operation === undefined ? '' : `#${operation} `}${name}.${String(method)}`
            return send({ instance, operation, title, method: String(method), args }, async () => {
              const value: unknown = await Reflect.apply(called, port, withoutSignals(args))
              onDone({ method: String(method), args, operation })
              return value
            })
          }
        },
      }),
  }
}

// A statement that was sent may be executed whatever its sender has given up meanwhile.
const withoutSignals = (args: readonly unknown[]): readonly unknown[] =>
  args.map((argument) =>
    typeof argument === 'object' && argument !== null && 'signal' in argument
      ? { ...argument, signal: undefined }
      : argument,
  )
