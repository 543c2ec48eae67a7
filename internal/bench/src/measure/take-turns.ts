/** How often contenders are measured, and how many concurrently. */
export interface Turns {
  readonly rounds: number
  /**
   * How many contenders are measured concurrently. 1 unless the run only checks that everything
   * works.
   */
  readonly concurrency: number
  /** Aborts when the run has to end early. Then no further turn starts, and the run rejects. */
  readonly signal: AbortSignal
}

/** The figures of each contender, one value per round. */
export type Measured<Contender, Figures> = ReadonlyMap<Contender, readonly Figures[]>

/**
 * Measures every contender once in every round, in a new random order, so that other work on the
 * machine affects all of them alike and the figures of one round may be compared in pairs.
 */
export const takeTurns = async <Contender, Figures>(
  contenders: readonly Contender[],
  measure: (contender: Contender, round: number) => Promise<Figures>,
  { rounds, concurrency, signal }: Turns,
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
    await Promise.all(Array.from({ length: concurrency }, takeTurn))
  }
  return measured
}

const shuffle = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item)
