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
export type HeldCalls = ReturnType<typeof createHeldCalls>

type Sent = Pick<HeldCall, 'instance' | 'operation' | 'title' | 'method' | 'args'>

/** Called at the moment at which a call does its work. */
type OnDone = (done: Pick<Sent, 'operation' | 'method' | 'args'>) => void

/** The operation that is running. */
export const currentOperation = new AsyncLocalStorage<number>()

/** Creates an empty list of calls. `note` receives each step that a call takes. */
export const createHeldCalls = (note: (step: string) => void) => {
  const waiting: HeldCall[] = []

  /** Removes a waiting call. Its work is not done. */
  const drop = (call: HeldCall): void => {
    const place = waiting.indexOf(call)
    if (place !== -1) waiting.splice(place, 1)
  }

  const send = (sent: Sent, work: () => Promise<unknown>): Promise<unknown> =>
    new Promise((resolve, reject) => {
      let settle: (() => void) | undefined
      let isOrphaned = false
      const call: HeldCall = {
        ...sent,
        advance: async () => {
          if (settle === undefined) {
            note(`${sent.title} does its work`)
            settle = await work().then(
              (value) => () => resolve(value),
              (reason: unknown) => () => reject(reason),
            )
            if (isOrphaned) drop(call)
            return
          }
          note(`${sent.title} returns`)
          drop(call)
          settle()
        },
        fail: () => {
          note(`${sent.title} fails ${settle === undefined ? 'before' : 'after'} its work`)
          drop(call)
          if (!isOrphaned) reject(new Error('The connection was lost.'))
        },
        orphan: () => {
          isOrphaned = true
          if (settle !== undefined) drop(call)
        },
      }
      waiting.push(call)
    })

  return {
    waiting,
    drop,
    /** Creates a copy of a port whose methods wait. */
    hold: <T extends object>(instance: string, name: string, port: T, onDone: OnDone = () => {}): T =>
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

// A database may execute a statement that was sent, even when its sender has aborted it.
const withoutSignals = (args: readonly unknown[]): readonly unknown[] =>
  args.map((argument) =>
    typeof argument === 'object' && argument !== null && 'signal' in argument
      ? { ...argument, signal: undefined }
      : argument,
  )
