import { median, quantile } from '../measure/statistics.js'

/** Formats a number with three significant digits and separated thousands: `0.913`, `12.3`, `8,120`. */
export const toText = (value: number): string => {
  if (Number.isInteger(value) || Math.abs(value) >= 100) return Math.round(value).toLocaleString('en')
  return Math.abs(value) < 1e-6 ? value.toExponential(2) : value.toPrecision(3)
}

/** Formats the median and the range of the middle half of the rounds. Formats only the median for one round. */
export const withSpread = (values: readonly number[]): string => {
  const middle = toText(median(values))
  return values.length === 1
    ? middle
    : `${middle} (${toText(quantile(values, 0.25))}–${toText(quantile(values, 0.75))})`
}
