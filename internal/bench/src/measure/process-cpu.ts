import { readdirSync, readFileSync } from 'node:fs'

/**
 * Returns the CPU time so far of processes and of their child processes, including their threads,
 * in milliseconds. Reads /proc of Linux.
 */
export const readCpuMs = (processIds: readonly number[]): number =>
  listProcesses()
    .filter(({ id, parent }) => processIds.includes(id) || processIds.includes(parent))
    .flatMap(({ id }) => listThreads(id))
    .reduce((sum, nanoseconds) => sum + nanoseconds / 1e6, 0)

/** Whether this system has the files that {@link readCpuMs} reads. */
export const canReadCpu = (): boolean => readFile('/proc/self/schedstat') !== undefined

const listProcesses = (): readonly { readonly id: number; readonly parent: number }[] =>
  listNumbers('/proc').map((id) => ({
    id,
    // The name of the program, in parentheses, may contain spaces.
    parent: Number(readFile(`/proc/${id}/stat`)?.split(') ').at(-1)?.split(' ')[1]),
  }))

const listThreads = (id: number): readonly number[] =>
  listNumbers(`/proc/${id}/task`).map((thread) =>
    Number(readFile(`/proc/${id}/task/${thread}/schedstat`)?.split(' ')[0] ?? 0),
  )

const listNumbers = (folder: string): readonly number[] => {
  try {
    return readdirSync(folder).map(Number).filter(Number.isInteger)
  } catch {
    // The process has ended in the meantime.
    return []
  }
}

const readFile = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
