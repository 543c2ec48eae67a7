/** How another instance differs from this one. */
export interface Difference {
  /** What has the other value: fixed text, such as `audience of an access token`. */
  readonly subject: string
  readonly theirs: unknown
  /** What of this instance it was compared with. */
  readonly own: keyof typeof ownValues
  readonly ours: unknown
}

/** Describes a difference with both values, for `onError`. */
export const describeDifference = ({ subject, theirs, own, ours }: Difference): string => {
  const [name, fix] = ownValues[own]
  return `the ${subject} is ${toText(theirs)}, but ${name} of this instance is ${toText(ours)}. ${fix}`
}

const toText = (value: unknown): string => JSON.stringify(value) ?? 'missing'

const sameOption = 'Set the same on all instances. Ignore this report if the token is of another service.'
const ownValues = {
  issuer: ['the option `issuer`', sameOption],
  audience: ['the option `audience`', sameOption],
  clock: ['the clock', 'Synchronize the clocks of all instances with NTP.'],
} as const
