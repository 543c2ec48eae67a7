import { setTimeout as pause } from 'node:timers/promises'

/**
 * Looks again and again, so many milliseconds apart, until what is looked for is there. Rejects, with what was waited for, after
 * `limitMs`.
 */
export const until = async (
  what: string,
  look: () => boolean | Promise<boolean>,
  limitMs: number,
  betweenLooksMs = 10,
): Promise<void> => {
  const end = performance.now() + limitMs
  while (!(await look())) {
    if (performance.now() > end) throw new Error(`Waited ${limitMs} ms in vain until ${what}.`)
    await pause(betweenLooksMs)
  }
}
