import { setTimeout as pause } from 'node:timers/promises'

/**
 * Repeats a check until it returns true. Rejects after `limitMs`, with the description of what it
 * waited for.
 */
export const until = async (
  description: string,
  check: () => boolean | Promise<boolean>,
  limitMs: number,
  intervalMs = 10,
): Promise<void> => {
  const end = performance.now() + limitMs
  while (!(await check())) {
    if (performance.now() > end) throw new Error(`Not true after ${limitMs} ms: ${description}.`)
    await pause(intervalMs)
  }
}
