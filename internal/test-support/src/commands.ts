import { readFile, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'

const page = new URL('../../../docs/reference/measurements.md', import.meta.url)

const readSections = async (): Promise<string[]> => (await readFile(page, 'utf8')).split(/^(?=## )/m)

/** Returns a section of docs/reference/measurements.md, with its heading. */
export const readMeasurements = async (title: string): Promise<string> =>
  (await readSections()).find((section) => section.startsWith(`## ${title}\n`)) ?? ''

/**
 * Replaces a section of docs/reference/measurements.md, or appends one.
 *
 * @param command the command that measured the figures
 * @param text Markdown, without a heading
 */
export const writeMeasurements = async (command: string, title: string, text: string): Promise<void> => {
  const machine = `Node ${process.versions.node}, ${availableParallelism()} cores`
  const date = new Date().toISOString().slice(0, 10)
  const section = `## ${title}\n\n\`${command}\`\non ${date}: ${machine}.\n\n${text}\n`
  const [head = '', ...sections] = await readSections()
  const others = sections.filter((other) => !other.startsWith(`## ${title}\n`))
  const place = sections.findIndex((other) => other.startsWith(`## ${title}\n`))
  const all = [head, ...others.toSpliced(place < 0 ? others.length : place, 0, section)]
  await writeFile(page, `${all.map((part) => part.trimEnd()).join('\n\n')}\n`)
}

/** Writes a table as Markdown. All columns but the first hold figures. */
export const toMarkdownTable = (headings: readonly string[], rows: readonly (readonly string[])[]): string =>
  [headings, ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .toSpliced(1, 0, `|---${'|--:'.repeat(headings.length - 1)}|`)
    .join('\n')

// npm forwards a Ctrl-C that the terminal has already sent to every process.
const repeatMs = 1_000

/**
 * Aborts when a command must end early: at Ctrl-C, SIGTERM, a closed terminal or a closed pipe. The
 * command can then clean up. A second signal, more than a second later, ends the process
 * immediately.
 *
 * @param tell prints that the command will end; not called when the output is closed
 */
export const listenForEnd = (tell: () => void): AbortSignal => {
  const ending = new AbortController()
  let askedAt = Number.NEGATIVE_INFINITY
  const hear = (): void => {
    if (ending.signal.aborted) {
      if (performance.now() - askedAt > repeatMs) process.exit(1)
      return
    }
    askedAt = performance.now()
    ending.abort(new Error('ended early'))
    tell()
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, hear)
  const loseReader = (): void => ending.abort(new Error('nobody reads what is printed'))
  for (const stream of [process.stdout, process.stderr]) stream.on('error', loseReader)
  return ending.signal
}
