/** What a host may keep about where a login came from, for its user's list of sessions. */
export interface Device {
  readonly userAgent?: string | null | undefined
  readonly ipAddress?: string | null | undefined
  /** The host's own name for the session. */
  readonly label?: string | null | undefined
}

/** Where a request came from, as far as the option `device` tells; text that a client may have written. */
export type Place = Pick<StoredDevice, 'userAgent' | 'ipAddress'>

/** A device as it is stored: bounded, well-formed text or `null`. */
export interface StoredDevice {
  readonly userAgent: string | null
  readonly ipAddress: string | null
  readonly label: string | null
}

const longest = { userAgent: 512, ipAddress: 64, label: 255 } as const

/** Cuts what a client may have sent to what every store can hold. */
export const toStoredDevice = (device: Device): StoredDevice => ({
  userAgent: toStoredText(device.userAgent, longest.userAgent),
  ipAddress: toStoredText(device.ipAddress, longest.ipAddress),
  label: toStoredText(device.label, longest.label),
})

// PostgreSQL stores no NUL, and no database an unpaired surrogate, which the cut may leave.
const toStoredText = (text: string | null | undefined, longestLength: number): string | null =>
  text === undefined || text === null || text === ''
    ? null
    : text.replaceAll('\0', '').slice(0, longestLength).toWellFormed()
