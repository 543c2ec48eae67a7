/** How often and in what order contenders have their turns. */
export interface Turns {
  readonly rounds: number
  /** How many contenders are measured at once: 1 wherever the figures count. */
  readonly atOnce: number
  /** Aborts when the run is to end early: no further turn begins, and the run rejects. */
  readonly signal: AbortSignal
}

/** What was measured of each contender, one value for each round. */
export type Measured<Contender, Figures> = ReadonlyMap<Contender, readonly Figures[]>

/**
 * Measures every contender once in every round, in an order drawn anew: what the machine does meanwhile hits all of them alike,
 * and figures of one round may be compared in pairs.
 */
export const takeTurns = async <Contender, Figures>(
  contenders: readonly Contender[],
  measure: (contender: Contender, round: number) => Promise<Figures>,
  { rounds, atOnce, signal }: Turns,
): Promise<Measured<Contender, Figures>> => {
  const measured = new Map<Contender, Figures[]>(contenders.map((contender) => [contender, []]))
  for (let round = 0; round < rounds; round += 1) {
    const waiting = shuffle(contenders)
    const takeTurn = async (): Promise<void> => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        signal.throwIfAborted()
        measured.get(next)?.push(await measure(next, round))
      }
    }
    await Promise.all(Array.from({ length: atOnce }, takeTurn))
  }
  return measured
}

const shuffle = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item)
