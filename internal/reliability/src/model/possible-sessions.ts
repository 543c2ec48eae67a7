import type { Behaviour, Prospects, Result, View } from './operations.js'
import { endModelSession, type ModelSession } from './reference-session.js'

/** The result of an operation as a client receives it: with the texts of tokens. */
export type ObservedResult =
  | { readonly kind: 'granted'; readonly refreshToken: string; readonly exp: number }
  | { readonly kind: 'authenticated' }
  | Exclude<Result, { readonly kind: 'granted' | 'authenticated' }>

/**
 * Every way in which the operations on one session may have happened, each of them at some instant
 * between its start and its result. A result removes the ways that do not lead to it. When no way
 * is left, no order of the operations explains what the service did.
 */
export type PossibleSessions = ReturnType<typeof watchSession>

/** How far an operation has come in one possible order of events. */
interface Progress {
  /** The results that it may return without reading the session again. */
  readonly results: readonly Result[]
  /** Whether it has written. It does nothing after that. */
  readonly hasWritten: boolean
  /** Whether it has decided that the session must end. */
  readonly isDoomer: boolean
}

/** One way in which everything so far may have happened to a session. */
interface Possibility {
  readonly session: ModelSession
  readonly progress: ReadonlyMap<number, Progress>
}

interface Running {
  readonly behaviour: Behaviour
  /** Returns what the operation may have seen so far. */
  readonly view: () => View
  readonly isAbandoned: boolean
}

/** The possibilities so far, and the operations that are running. */
interface State {
  possible: readonly Possibility[]
  readonly running: Map<number, Running>
}

/** Starts to watch a session that was just opened. */
export const watchSession = (opened: ModelSession) => {
  const state: State = { possible: [{ session: opened, progress: new Map() }], running: new Map() }
  return {
    start: (operation: number, running: Pick<Running, 'behaviour' | 'view'>): void => start(state, operation, running),
    /**
     * Ends an operation with its result. Returns whether the result can be explained. After `false`
     * no further operation can be judged.
     */
    settle: (operation: number, observed: ObservedResult): boolean => settle(state, operation, observed),
    /**
     * Ends an operation whose result is not about this session alone. Returns what it may have done
     * to this session.
     */
    conclude: (operation: number): ReadonlySet<Result['kind']> => conclude(state, operation),
    /**
     * Marks an operation that nobody waits for any more. What it started may still happen, or not.
     */
    abandon: (operation: number): void => {
      const running = state.running.get(operation)
      if (running !== undefined) state.running.set(operation, { ...running, isAbandoned: true })
    },
    /** Removes the abandoned operations that can have no further effect. */
    forgetAbandoned: (isFinished: (operation: number) => boolean): void => {
      const finished = [...state.running].filter(([operation, { isAbandoned }]) => isAbandoned && isFinished(operation))
      if (finished.length > 0) explore(state)
      for (const [operation] of finished) forget(state, operation)
    },
    /** Returns whether a stored session is one of the possible sessions. */
    admits: (isThis: (session: ModelSession) => boolean): boolean => {
      explore(state)
      return state.possible.some(({ session }) => isThis(session))
    },
  }
}

const start = (state: State, operation: number, { behaviour, view }: Pick<Running, 'behaviour' | 'view'>): void => {
  // Everything that may have been written so far was written before this operation reads anything.
  explore(state)
  state.running.set(operation, { behaviour, view, isAbandoned: false })
  const atStart: Progress = { results: [], hasWritten: false, isDoomer: false }
  state.possible = state.possible.map(({ session, progress }) => ({
    session,
    progress: new Map(progress).set(operation, atStart),
  }))
}

const settle = (state: State, operation: number, observed: ObservedResult): boolean => {
  explore(state)
  const latest = Math.max(...(state.running.get(operation)?.view().instants ?? []))
  state.possible = state.possible.flatMap((one) =>
    (one.progress.get(operation)?.results ?? [])
      .flatMap((expected) => bind(one.session, expected, { observed, latest }))
      .map((session) => ({ session, progress: one.progress })),
  )
  forget(state, operation)
  return state.possible.length > 0
}

const conclude = (state: State, operation: number): ReadonlySet<Result['kind']> => {
  explore(state)
  state.possible = state.possible.filter(({ progress }) => (progress.get(operation)?.results ?? []).length > 0)
  const results = state.possible.flatMap(({ progress }) => progress.get(operation)?.results ?? [])
  forget(state, operation)
  return new Set(results.map(({ kind }) => kind))
}

/** Adds every possibility that a running operation may have led to by now. */
const explore = (state: State): void => {
  const found = new Map<string, Possibility>()
  const add = (one: Possibility): void => {
    const read = readSession(state, one)
    const key = keyOf(read)
    if (!found.has(key)) found.set(key, read)
  }
  for (const one of state.possible) add(one)
  for (const one of found.values()) for (const next of writesFrom(state, one)) add(next)
  state.possible = [...found.values()]
}

/** Lets each operation read the session in its present state. */
const readSession = (state: State, { session, progress }: Possibility): Possibility => ({
  session,
  progress: new Map(
    [...progress].map(([operation, before]) => {
      if (before.hasWritten) return [operation, before]
      const { results, mayDoom } = prospectsOf(state, session, operation)
      const isDoomer = before.isDoomer || mayDoom
      const tooLate = isDoomer && session.isEnded ? [refused] : []
      return [operation, { ...before, results: union(before.results, [...results, ...tooLate]), isDoomer }]
    }),
  ),
})

/** Returns the possibilities that one write leads to. */
const writesFrom = (state: State, { session, progress }: Possibility): readonly Possibility[] =>
  [...progress].flatMap(([operation, { hasWritten, isDoomer }]) => {
    if (hasWritten) return []
    const { writes } = prospectsOf(state, session, operation)
    const doom = { session: endModelSession(session), result: refused }
    return [...writes, ...(isDoomer && !session.isEnded ? [doom] : [])].map((write) => ({
      session: write.session,
      progress: new Map(progress).set(operation, { results: [write.result], hasWritten: true, isDoomer: false }),
    }))
  })

const prospectsOf = ({ running }: State, session: ModelSession, operation: number): Prospects => {
  const one = running.get(operation)
  return one === undefined ? none : one.behaviour(session, one.view())
}

const forget = (state: State, operation: number): void => {
  state.running.delete(operation)
  const left = state.possible.map(({ session, progress }) => ({
    session,
    progress: new Map([...progress].filter(([other]) => other !== operation)),
  }))
  state.possible = [...new Map(left.map((one) => [keyOf(one), one])).values()]
}

const refused: Result = { kind: 'refused' }
const none: Prospects = { results: [], writes: [], mayDoom: false }

/**
 * Returns the session with the observed refresh token in its place. Returns no session when the
 * results differ.
 */
const bind = (
  session: ModelSession,
  expected: Result,
  { observed, latest }: { readonly observed: ObservedResult; readonly latest: number },
): readonly ModelSession[] => {
  if (expected.kind === 'authenticated') {
    const isSame = observed.kind === 'authenticated' || (observed.kind === 'refused' && latest >= expected.until)
    return isSame ? [session] : []
  }
  if (expected.kind !== 'granted' || observed.kind !== 'granted') {
    return JSON.stringify(expected) === JSON.stringify(observed) ? [session] : []
  }
  const { refreshTokens } = session
  const place = refreshTokens.indexOf(observed.refreshToken)
  const isUnknown = refreshTokens[expected.generation] === undefined && place === -1
  if (expected.exp !== observed.exp || !(place === expected.generation || isUnknown)) return []
  return [{ ...session, refreshTokens: refreshTokens.with(expected.generation, observed.refreshToken) }]
}

const union = (some: readonly Result[], others: readonly Result[]): readonly Result[] => [
  ...new Map([...some, ...others].map((one) => [JSON.stringify(one), one])).values(),
]

const keyOf = ({ session, progress }: Possibility): string => JSON.stringify([session, [...progress]])
