import { setImmediate as nextTurn } from 'node:timers/promises'

/** Resolves to the unhandled rejections during a run. Each of them would end the process of an application. */
export const unhandledRejectionsDuring = async (run: () => Promise<unknown>): Promise<readonly unknown[]> => {
  const unhandled: unknown[] = []
  const note = (reason: unknown): void => {
    unhandled.push(reason)
  }
  const listeners = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection')
  process.on('unhandledRejection', note)
  try {
    await run()
    await nextTurn()
    await nextTurn()
  } finally {
    process.removeListener('unhandledRejection', note)
    for (const listener of listeners) process.on('unhandledRejection', listener)
  }
  return unhandled
}
