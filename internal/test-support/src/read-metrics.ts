/** One value of a scrape. */
export interface Sample {
  /** The name of the series, such as `http_requests_total`. */
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

/** Reads the text that Prometheus scrapes. */
export const readMetrics = (text: string): readonly Sample[] =>
  text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line) ?? []
    return name === undefined ? [] : { name, labels: readLabels(labels), value: Number(value) }
  })

const readLabels = (text: string): Sample['labels'] =>
  Object.fromEntries([...text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name = '', value = '']) => [name, value]))
