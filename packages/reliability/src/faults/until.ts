import { setTimeout as pause } from 'node:timers/promises'

/** How long to wait between two looks, in milliseconds. */
const betweenLooksMs = 20

/** Looks again and again until what is looked for is there. Rejects, with what was waited for, after so many milliseconds. */
export const until = async (what: string, look: () => boolean | Promise<boolean>, limitMs: number): Promise<void> => {
  const end = performance.now() + limitMs
  while (!(await look())) {
    if (performance.now() > end) throw new Error(`Waited ${limitMs} ms in vain until ${what}.`)
    await pause(betweenLooksMs)
  }
}
