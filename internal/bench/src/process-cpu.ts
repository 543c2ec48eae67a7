import { readdirSync, readFileSync } from 'node:fs'

/**
 * Returns the CPU time so far of processes and of their child processes, including their threads,
 * in milliseconds. Reads /proc of Linux.
 */
export const readCpuMs = (processIds: readonly number[]): number => {
  const found = list('/proc').filter((id) => processIds.includes(Number(id)) || processIds.includes(readParent(id)))
  const threads = found.flatMap((id) => list(`/proc/${id}/task`).map((thread) => `/proc/${id}/task/${thread}`))
  // In nanoseconds, more precise than the ticks of `stat`.
  return threads.reduce((sum, thread) => sum + Number(read(`${thread}/schedstat`).split(' ')[0]) / 1e6, 0)
}

// The name of the program, in parentheses, may contain spaces.
const readParent = (id: string): number => Number(read(`/proc/${id}/stat`).split(') ').at(-1)?.split(' ')[1])

// A process may end in the meantime.
const unlessEnded = <T>(run: () => T, otherwise: T): T => {
  try {
    return run()
  } catch {
    return otherwise
  }
}
const list = (folder: string) => unlessEnded(() => readdirSync(folder).filter((name) => /^\d+$/.test(name)), [])
const read = (path: string) => unlessEnded(() => readFileSync(path, 'utf8'), '')
