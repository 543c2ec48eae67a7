import type { Answer, Behaviour, Prospects, View } from './operations.js'
import { endModelSession, type ModelSession } from './reference-session.js'

/** What somebody outside hears: tokens are texts there. */
export type HeardAnswer =
  | { readonly kind: 'granted'; readonly refreshToken: string; readonly exp: number }
  | { readonly kind: 'let in' }
  | Exclude<Answer, { readonly kind: 'granted' | 'let in' }>

/** How far an operation has come in one possible course of things. */
interface Progress {
  /** What it may answer without another look. */
  readonly answers: readonly Answer[]
  /** It has written, which was its last act. */
  readonly hasWritten: boolean
  /** It has decided that the session must end. */
  readonly isDoomer: boolean
}

/** One way in which everything so far may have happened to a session. */
interface Possibility {
  readonly session: ModelSession
  readonly progress: ReadonlyMap<number, Progress>
}

interface Running {
  readonly behaviour: Behaviour
  /** What it has seen by now. */
  readonly view: () => View
  readonly isAbandoned: boolean
}

/**
 * Every way in which the operations on one session may have happened, each of them at some instant between its begin and
 * its answer. An answer strikes out the ways that do not lead to it; when none is left, the service did something that no
 * order of its operations explains.
 */
export interface PossibleSessions {
  readonly begin: (operation: number, running: Pick<Running, 'behaviour' | 'view'>) => void
  /** Whether an answer can be explained; where not, nothing is left to go on from. */
  readonly answer: (operation: number, heard: HeardAnswer) => boolean
  /** Ends an operation whose answer does not speak of this session alone; tells what may have become of this one. */
  readonly conclude: (operation: number) => ReadonlySet<Answer['kind']>
  /** The caller hears nothing more; what the operation began may still happen, or not. */
  readonly abandon: (operation: number) => void
  /** Nothing of an abandoned operation can happen any more. */
  readonly forgetAbandoned: (isOver: (operation: number) => boolean) => void
  /** Whether a stored session is one of the possible ones. */
  readonly admits: (isThis: (session: ModelSession) => boolean) => boolean
}

/** Watches one session from its first moment on. */
export const watchSession = (opened: ModelSession): PossibleSessions => {
  let possible: readonly Possibility[] = [{ session: opened, progress: new Map() }]
  const running = new Map<number, Running>()

  const prospectsOf = (session: ModelSession, operation: number): Prospects => {
    const one = running.get(operation)
    return one === undefined ? none : one.behaviour(session, one.view())
  }

  /** Lets each operation look at the session as it stands. */
  const look = ({ session, progress }: Possibility): Possibility => ({
    session,
    progress: new Map(
      [...progress].map(([operation, at]) => {
        if (at.hasWritten) return [operation, at]
        const { answers, mayDoom } = prospectsOf(session, operation)
        const isDoomer = at.isDoomer || mayDoom
        const tooLate = isDoomer && session.isEnded ? [refused] : []
        return [operation, { ...at, answers: union(at.answers, [...answers, ...tooLate]), isDoomer }]
      }),
    ),
  })

  const writesFrom = ({ session, progress }: Possibility): readonly Possibility[] =>
    [...progress].flatMap(([operation, { hasWritten, isDoomer }]) => {
      if (hasWritten) return []
      const { writes } = prospectsOf(session, operation)
      const doom = { session: endModelSession(session), answer: refused }
      return [...writes, ...(isDoomer && !session.isEnded ? [doom] : [])].map((write) => ({
        session: write.session,
        progress: new Map(progress).set(operation, { answers: [write.answer], hasWritten: true, isDoomer: false }),
      }))
    })

  const follow = (): void => {
    const found = new Map<string, Possibility>()
    const add = (one: Possibility): void => {
      const seen = look(one)
      const key = keyOf(seen)
      if (!found.has(key)) found.set(key, seen)
    }
    for (const one of possible) add(one)
    for (const one of found.values()) for (const next of writesFrom(one)) add(next)
    possible = [...found.values()]
  }

  const forget = (operation: number): void => {
    running.delete(operation)
    const left = possible.map(({ session, progress }) => ({
      session,
      progress: new Map([...progress].filter(([other]) => other !== operation)),
    }))
    possible = [...new Map(left.map((one) => [keyOf(one), one])).values()]
  }

  return {
    begin: (operation, { behaviour, view }) => {
      // What may have been written so far comes before everything this operation sees.
      follow()
      running.set(operation, { behaviour, view, isAbandoned: false })
      const begun: Progress = { answers: [], hasWritten: false, isDoomer: false }
      possible = possible.map(({ session, progress }) => ({
        session,
        progress: new Map(progress).set(operation, begun),
      }))
    },
    answer: (operation, heard) => {
      follow()
      const latest = Math.max(...(running.get(operation)?.view().instants ?? []))
      possible = possible.flatMap((one) =>
        (one.progress.get(operation)?.answers ?? [])
          .flatMap((answer) => bind(one.session, { answer, heard, latest }))
          .map((session) => ({ session, progress: one.progress })),
      )
      forget(operation)
      return possible.length > 0
    },
    conclude: (operation) => {
      follow()
      possible = possible.filter(({ progress }) => (progress.get(operation)?.answers ?? []).length > 0)
      const answers = possible.flatMap(({ progress }) => progress.get(operation)?.answers ?? [])
      forget(operation)
      return new Set(answers.map(({ kind }) => kind))
    },
    abandon: (operation) => {
      const one = running.get(operation)
      if (one !== undefined) running.set(operation, { ...one, isAbandoned: true })
    },
    forgetAbandoned: (isOver) => {
      const over = [...running].filter(([operation, { isAbandoned }]) => isAbandoned && isOver(operation))
      if (over.length > 0) follow()
      for (const [operation] of over) forget(operation)
    },
    admits: (isThis) => {
      follow()
      return possible.some(({ session }) => isThis(session))
    },
  }
}

const refused: Answer = { kind: 'refused' }
const none: Prospects = { answers: [], writes: [], mayDoom: false }

/** The session with the answer's refresh token in its place; none where what was heard is not this answer. */
const bind = (
  session: ModelSession,
  { answer, heard, latest }: { readonly answer: Answer; readonly heard: HeardAnswer; readonly latest: number },
): readonly ModelSession[] => {
  if (answer.kind === 'let in') {
    const isHeard = heard.kind === 'let in' || (heard.kind === 'refused' && latest >= answer.until)
    return isHeard ? [session] : []
  }
  if (answer.kind !== 'granted' || heard.kind !== 'granted') {
    return JSON.stringify(answer) === JSON.stringify(heard) ? [session] : []
  }
  const { refreshTokens } = session
  const place = refreshTokens.indexOf(heard.refreshToken)
  const isFree = refreshTokens[answer.generation] === undefined && place === -1
  if (answer.exp !== heard.exp || !(place === answer.generation || isFree)) return []
  return [{ ...session, refreshTokens: refreshTokens.with(answer.generation, heard.refreshToken) }]
}

const union = (some: readonly Answer[], others: readonly Answer[]): readonly Answer[] => [
  ...new Map([...some, ...others].map((answer) => [JSON.stringify(answer), answer])).values(),
]

const keyOf = ({ session, progress }: Possibility): string => JSON.stringify([session, [...progress]])
