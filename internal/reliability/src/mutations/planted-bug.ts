/** A bug to plant: pieces of one source file, each there exactly once, and what stands in their place. */
export interface PlantedBug {
  readonly name: string
  /** Below `packages/`. */
  readonly file: string
  readonly edits: readonly (readonly [piece: string, instead: string])[]
  /** Where the model finds it soon; absent where only a named case does in the time that a test has. */
  readonly seed?: number
  /** The grace window where it shows. @default the model's */
  readonly graceSeconds?: number
}
