import type { EventQueue } from './event-queue.js'

/**
 * Waits for a core of a machine, and runs a turn on it. `start` returns how long the turn takes.
 * `end` is called after this time, and returns for how much longer the turn keeps the core.
 */
export type RunTurn = (start: () => number, end: () => number) => void

/** Creates the cores of a machine, for which turns wait in one line. */
export const createCores = (events: EventQueue, count: number): RunTurn => {
  const waiting: Parameters<RunTurn>[] = []
  let free = count
  const startNext = (): void => {
    const [start, end] = free > 0 ? (waiting.shift() ?? []) : []
    if (start === undefined || end === undefined) return
    free -= 1
    events.at(events.now() + start(), () => finish(end))
  }
  const finish = (end: () => number): void => {
    const more = end()
    if (more === 0) {
      free += 1
      startNext()
    } else events.at(events.now() + more, () => finish(end))
  }
  return (start, end) => {
    waiting.push([start, end])
    startNext()
  }
}

/** CPU time that a program needs. `done` is called when the program has used this time. */
export interface Task {
  readonly micros: number
  readonly done: () => void
}

/** How a program runs its tasks. */
export interface ProgramPlan {
  readonly runTurn: RunTurn
  /** The number of turns that run concurrently. */
  readonly threads: number
  /** The number of tasks in one turn. */
  readonly tasksInTurn: number
  /** CPU time that a turn takes more after a long pause: the caches of the core are cold. */
  readonly coldMicros: number
  /** The pause after which the caches are cold by 63 per cent. */
  readonly coolingMicros: number
  /** How long a thread waits after a turn, without CPU time, before its tasks are done. */
  readonly blockedMicros?: number
  /** Returns for how long the program stops in a turn: garbage collection, or the scheduler. */
  readonly stall?: () => number
  /** Returns what else happens at the end of a turn. */
  readonly afterTurn?: (() => Task | undefined) | undefined
}

/** A program: an instance, the client, or the database. */
export interface Program {
  readonly add: (task: Task) => void
  /** The CPU time so far, and the number of turns, each counted by how cold it was: 0 to 1. */
  readonly used: { cpuMicros: number; coldTurns: number }
}

/** How much of the time in line for a core counts as a pause. */
const pauseInLine = 0.4
/** How much of a cold start a turn needs after time in line: its core is awake. */
const coldAfterLine = 0.7

/** Creates a program. Its turn takes the tasks that wait when the turn gets a core. */
export const createProgram = (events: EventQueue, plan: ProgramPlan): Program => {
  const {
    runTurn,
    threads,
    tasksInTurn,
    coldMicros,
    coolingMicros,
    blockedMicros = 0,
    stall = () => 0,
    afterTurn,
  } = plan
  const used = { cpuMicros: 0, coldTurns: 0 }
  let waiting: Task[] = []
  let [requested, running, endedAt] = [0, 0, 0]

  const findColdness = (requestedAt: number): number => {
    if (running > 0) return 0
    const inLineSince = Math.max(requestedAt, endedAt)
    const inLine = events.now() - inLineSince
    const pause = inLineSince - endedAt + pauseInLine * inLine
    return (inLine > 0 ? coldAfterLine : 1) * (1 - Math.exp(-pause / coolingMicros))
  }

  const startTurn = (requestedAt: number): number => {
    const coldness = findColdness(requestedAt)
    const start = events.now() + stall()
    let micros = coldness * coldMicros
    for (const task of waiting.slice(0, tasksInTurn)) {
      micros += task.micros
      events.at(start + micros + blockedMicros, task.done)
    }
    waiting = waiting.slice(tasksInTurn)
    running += 1
    used.coldTurns += coldness
    used.cpuMicros += micros
    return start + micros - events.now()
  }

  const endTurn = (): number => {
    const { micros, done } = afterTurn?.() ?? { micros: 0, done: () => {} }
    used.cpuMicros += micros
    events.at(events.now() + micros, done)
    if (micros > 0) return micros
    running -= 1
    endedAt = events.now()
    events.at(endedAt + blockedMicros, () => {
      requested -= 1
      request()
    })
    return 0
  }

  const request = (): void => {
    if (requested >= threads || waiting.length <= requested - running) return
    requested += 1
    const now = events.now()
    // After everything else that happens at this moment: a program wakes up for all of it.
    events.at(now, () => runTurn(() => startTurn(now), endTurn))
  }

  const add: Program['add'] = (task) => {
    waiting.push(task)
    request()
  }
  return { add, used }
}
