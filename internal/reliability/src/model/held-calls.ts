import { AsyncLocalStorage } from 'node:async_hooks'

/** A call that waits. Nothing happens to it until a schedule decides so. */
export interface HeldCall {
  /** The instance that sent the call. */
  readonly instance: string
  /** The operation that sent the call. */
  readonly operation: number | undefined
  readonly title: string
  readonly method: string
  readonly args: readonly unknown[]
  /** Takes the next step: first the call does its work, then it returns. */
  readonly advance: () => Promise<void>
  /** Rejects the call, before its work (which is then never done) or after it. */
  readonly fail: () => void
  /** Marks the sender as gone: the work may still be done, and nobody receives the result. */
  readonly orphan: () => void
}

/**
 * The calls between instances and what they share. Each call waits twice: before its work and
 * before it returns.
 */
export interface HeldCalls {
  readonly waiting: readonly HeldCall[]
  /** Creates a copy of a port whose methods wait. */
  readonly hold: <T extends object>(instance: string, name: string, port: T, onDone?: OnDone) => T
  /** Removes a waiting call. Its work is not done. */
  readonly drop: (call: HeldCall) => void
}

type Sent = Pick<HeldCall, 'instance' | 'operation' | 'title' | 'method' | 'args'>

/** Called at the moment at which a call does its work. */
type OnDone = (done: Pick<Sent, 'operation' | 'method' | 'args'>) => void

/** The operation that is running. */
export const currentOperation = new AsyncLocalStorage<number>()

/** Creates an empty list of calls. `note` receives each step that a call takes. */
export const createHeldCalls = (note: (step: string) => void): HeldCalls => {
  const waiting: HeldCall[] = []

  const drop = (call: HeldCall): void => {
    const place = waiting.indexOf(call)
    if (place !== -1) waiting.splice(place, 1)
  }

  const send = (sent: Sent, work: () => Promise<unknown>): Promise<unknown> =>
    new Promise((resolve, reject) => {
      waiting.push(createCall(sent, { work, resolve, reject, note, drop }))
    })

  return {
    waiting,
    drop,
    hold: (instance, name, port, onDone = () => {}) =>
      new Proxy(port, {
        get: (_, method) => {
          // A held call waits, unlike a call of a storage in this process.
          if (method === 'isInProcess') return false
          const called = Reflect.get(port, method)
          if (typeof called !== 'function') return called
          return (...args: readonly unknown[]) => {
            const operation = currentOperation.getStore()
            const title = `${instance}: ${operation === undefined ? '' : `#${operation} `}${name}.${String(method)}`
            const sent = { instance, operation, title, method: String(method), args }
            return send(sent, async () => {
              const value: unknown = await Reflect.apply(called, port, withoutSignals(args))
              onDone(sent)
              return value
            })
          }
        },
      }),
  }
}

interface CallContext {
  readonly work: () => Promise<unknown>
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
  readonly note: (step: string) => void
  readonly drop: (call: HeldCall) => void
}

const createCall = (sent: Sent, { work, resolve, reject, note, drop }: CallContext): HeldCall => {
  let settle: (() => void) | undefined
  let isOrphaned = false
  const { title } = sent
  const call: HeldCall = {
    ...sent,
    advance: async () => {
      if (settle === undefined) {
        note(`${title} does its work`)
        settle = await work().then(
          (value) => () => resolve(value),
          (reason: unknown) => () => reject(reason),
        )
        if (isOrphaned) drop(call)
        return
      }
      note(`${title} returns`)
      drop(call)
      settle()
    },
    fail: () => {
      note(`${title} fails ${settle === undefined ? 'before' : 'after'} its work`)
      drop(call)
      if (!isOrphaned) reject(new Error('The connection was lost.'))
    },
    orphan: () => {
      isOrphaned = true
      if (settle !== undefined) drop(call)
    },
  }
  return call
}

// A database may execute a statement that was sent, even when its sender has aborted it.
const withoutSignals = (args: readonly unknown[]): readonly unknown[] =>
  args.map((argument) =>
    typeof argument === 'object' && argument !== null && 'signal' in argument
      ? { ...argument, signal: undefined }
      : argument,
  )
