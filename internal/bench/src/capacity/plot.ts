import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { calibrateStore, repeat, toMedian } from './calibration.js'

type Points = readonly (readonly [x: number, y: number])[]

type Series = Readonly<{ name: string; points: Points }>
/** The labels and ranges of both axes, which are logarithmic. */
type Axes = Readonly<Record<'labels', readonly [string, string]> & Record<'from' | 'to', readonly [number, number]>>

/** Writes the plot of docs/scaling.md into a folder. Resolves to what was written. */
export const writePlot = async (folder: string): Promise<string> => {
  const file = join(folder, 'scaling-prediction.svg')
  const labels = ['measured CPU of 4 and 8 processes, µs per operation', 'predicted, and 15% more or less'] as const
  const toLine = (part: number): Points => [200, 8e3].map((x) => [x, part * x])
  const stores = ['postgres', 'mariadb', 'redis', 'redis-cluster'] as const
  const series = stores.map(async (name): Promise<Series> => {
    const { rounds, costs } = await calibrateStore(name)
    const records = rounds.flatMap(toMedian).filter((each) => each.instances > 2 && each.ratePerSecond > 0)
    const points = Object.entries(costs).flatMap(([visit, each]): Points => {
      const recorded = records.filter((record) => record.visit === visit)
      return recorded.map((record) => [record.applicationCpuMs, repeat(each, record).application.cpuMicros])
    })
    return { name, points }
  })
  await writeFile(
    file,
    toSvg({ labels, from: [100, 100], to: [1e4, 1e4] }, [0.85, 1, 1.15].map(toLine), await Promise.all(series)),
  )
  return `wrote ${file}`
}

const colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7']

const toSvg = ({ labels, from, to }: Axes, lines: readonly Points[], series: readonly Series[]): string => {
  const toPart = (value: number, axis: 0 | 1): number => Math.log(value / from[axis]) / Math.log(to[axis] / from[axis])
  const place = ([x, y]: Points[number]): readonly string[] =>
    [70 + 440 * toPart(x, 0), 310 - 290 * toPart(y, 1)].map((length) => length.toFixed(1))
  const decades = (axis: 0 | 1): readonly number[] =>
    Array.from({ length: 1 + Math.round(Math.log10(to[axis] / from[axis])) }, (_, step) => from[axis] * 10 ** step)
  const label = (at: string, value: string | number): string => `<text ${at}>${value.toLocaleString('en')}</text>`
  const elements = [
    ...decades(0).map((x) => label(`x="${place([x, from[1]])[0]}" y="328" text-anchor="middle"`, x)),
    ...decades(1).map((y) => label(`x="64" y="${place([from[0], y])[1]}" text-anchor="end"`, y)),
    label('x="290" y="350" text-anchor="middle"', labels[0]),
    label('transform="translate(14 165) rotate(-90)" text-anchor="middle"', labels[1]),
    ...lines.map((points) => `<polyline points="${points.map(place).join(' ')}" fill="none" stroke="#999"/>`),
    ...series.map(({ name, points }, at) => {
      const dots = points.map(place).map(([x, y]) => `<circle cx="${x}" cy="${y}" r="3"/>`)
      return `<g fill="${colours[at]}">${dots.join('')}${label(`x="520" y="${40 + 18 * at}"`, name)}</g>`
    }),
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 360" font-family="sans-serif" font-size="12">
<title>${labels.join(' / ')}</title><path d="M0 0H640V360H0Z" fill="#fff"/><path d="M70 20V310H510" fill="none" stroke="#999"/>
${elements.join('\n')}\n</svg>\n`
}
