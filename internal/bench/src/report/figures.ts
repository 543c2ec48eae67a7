import { median, quantile } from '../measure/statistics.js'

/** Three digits that count, thousands apart: `0.913`, `12.3`, `8,120`. */
export const toText = (value: number): string => {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return Math.round(value).toLocaleString('en')
  return Math.abs(value) < 1e-6 ? value.toExponential(2) : value.toPrecision(3)
}

/** The median, and between which values the middle half of the rounds lies; the median alone for one round. */
export const withSpread = (values: readonly number[]): string => {
  const middle = toText(median(values))
  return values.length === 1
    ? middle
    : `${middle} (${toText(quantile(values, 0.25))}–${toText(quantile(values, 0.75))})`
}
