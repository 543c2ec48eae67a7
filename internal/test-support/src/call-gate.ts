/** A call that a gate has stopped. The caller waits until the call is settled, once. */
export interface GatedCall {
  readonly method: string
  readonly args: readonly unknown[]
  /** Calls the method and keeps the outcome. Further calls of `perform` do nothing. */
  readonly perform: () => Promise<void>
  /** Performs the call if that has not been done, and settles it with the outcome. */
  readonly release: () => void
  /** Settles the call with a value. The method is not called. */
  readonly resolve: (value: unknown) => void
  /**
   * Settles the call with a rejection. Before `perform` the method is not called; after `perform`
   * the outcome is lost.
   */
  readonly reject: (reason: unknown) => void
}

/** What happens to a call. */
type GateRule = (call: GatedCall) => void

/** The names of a port's methods. */
export type MethodOf<Port> = {
  [Name in keyof Port & string]: NonNullable<Port[Name]> extends (...args: never) => unknown ? Name : never
}[keyof Port & string]

/** A gate before every method of a port. It is open unless a test says otherwise. */
export type CallGate<Port extends object> = ReturnType<typeof createCallGate<Port>>

/**
 * Puts a gate before every method of a port: a storage, a user directory, a limiter.
 *
 * @example
 * const gate = createCallGate(memoryStorage({ quiet: true }))
 * const service = createTokenService({ …, storage: gate.port })
 * gate.hold('rotate')
 * const racing = [service.refresh(token), service.refresh(token)]
 * const [first, second] = await gate.held('rotate', 2)
 */
export const createCallGate = <Port extends object>(port: Port) => {
  const rules = new Map<string, GateRule>()
  const calls: string[] = []
  let held: readonly GatedCall[] = []
  let watchers: readonly (() => boolean)[] = []

  const heldOf = (method: string): readonly GatedCall[] => held.filter((call) => call.method === method)

  const holdCall: GateRule = (call) => {
    held = [...held, call]
    watchers = watchers.filter((isSatisfied) => !isSatisfied())
  }

  const leave = (call: GatedCall): void => {
    held = held.filter((other) => other !== call)
  }

  const enter = (method: string, args: readonly unknown[], work: () => Promise<unknown>): Promise<unknown> =>
    new Promise((resolve, reject) => {
      let outcome: Promise<unknown> | undefined
      const perform = (): Promise<unknown> => {
        outcome ??= work()
        return outcome
      }
      const call: GatedCall = {
        method,
        args,
        perform: () => perform().then(ignore, ignore),
        release: () => {
          leave(call)
          perform().then(resolve, reject)
        },
        resolve: (value) => {
          leave(call)
          resolve(value)
        },
        reject: (reason) => {
          leave(call)
          reject(reason)
        },
      }
      calls.push(method)
      const apply = rules.get(method) ?? pass
      apply(call)
    })

  const setRule = (methods: readonly string[], next: GateRule): void => {
    for (const method of methods) rules.set(method, next)
  }

  return {
    /** The port. Its methods return promises; its other members are unchanged. */
    port: new Proxy(port, {
      get: (target, name) => {
        // A gated call may wait, unlike a call of a storage in this process.
        if (name === 'isInProcess') return false
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function' || typeof name === 'symbol') return member
        return (...args: readonly unknown[]) => enter(name, args, async () => Reflect.apply(member, target, args))
      },
    }),
    /** The names of the methods that were called, in order. A test may empty the list. */
    calls,
    /** Holds further calls of these methods before they are performed. */
    hold: (...methods: readonly MethodOf<Port>[]): void => setRule(methods, holdCall),
    /** Rejects further calls of these methods, and performs none. */
    fail: (reason: unknown, ...methods: readonly MethodOf<Port>[]): void =>
      setRule(methods, (call) => call.reject(reason)),
    /**
     * Releases the held calls of these methods, and lets further ones pass. Without a name: those of
     * all methods.
     */
    open: (...methods: readonly MethodOf<Port>[]): void => {
      if (methods.length === 0) rules.clear()
      setRule(methods, pass)
      for (const call of methods.length === 0 ? held : methods.flatMap(heldOf)) call.release()
    },
    /** Resolves to the held calls of a method, as soon as at least `count` calls are held. */
    held: (method: MethodOf<Port>, count = 1) =>
      new Promise<readonly GatedCall[]>((resolve) => {
        const isSatisfied = (): boolean => {
          const found = heldOf(method)
          if (found.length >= count) resolve(found)
          return found.length >= count
        }
        if (!isSatisfied()) watchers = [...watchers, isSatisfied]
      }),
  }
}

const pass: GateRule = (call) => call.release()

const ignore = (): void => {}
