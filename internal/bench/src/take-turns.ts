/** How often contenders are measured. */
export interface Turns {
  readonly rounds: number
  /** Aborts when the run has to end early. Then no further turn starts, and the run rejects. */
  readonly signal: AbortSignal
}

/**
 * Measures every contender once in every round, in a new random order, so that other work on the
 * machine affects all of them alike and the figures of one round may be compared in pairs. Resolves
 * to the figures of each contender, one value per round.
 */
export const takeTurns = async <Contender, Figures>(
  contenders: readonly Contender[],
  measure: (contender: Contender) => Promise<Figures>,
  { rounds, signal }: Turns,
): Promise<ReadonlyMap<Contender, readonly Figures[]>> => {
  const measured = new Map<Contender, Figures[]>(contenders.map((contender) => [contender, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const contender of shuffle(contenders)) {
      signal.throwIfAborted()
      measured.get(contender)?.push(await measure(contender))
    }
  }
  return measured
}

const shuffle = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, place: Math.random() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ item }) => item)
