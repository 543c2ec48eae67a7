import { nextTurn } from './next-turn.js'

/** The rejections that nobody handled while something ran; a host's process would have ended at the first of them. */
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
