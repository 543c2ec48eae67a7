import { isIPv4, isIPv6 } from 'node:net'

/**
 * Returns the network of an address: an IPv4 address itself, or the /64 of an IPv6 address, because
 * one household or server may use all of its 2^64 addresses. If an IPv6 address contains an IPv4
 * address, returns the IPv4 address: mapped (RFC 4291, section 2.5.5.2), translated (RFC 6052,
 * section 2.1; RFC 8215 for /96 prefixes of a local network; RFC 2765, section 2.1) or tunnelled
 * (RFC 3056, section 2). A zone and a port are ignored. Returns `unknown` for an address that
 * cannot be read.
 */
export const toNetwork = (address: string | undefined): string => {
  const host = toHost(address ?? '')
  if (isIPv4(host)) return host
  if (!isIPv6(host)) return 'unknown'
  const groups = toGroups(host)
  const embedded = findEmbedded(groups)
  return embedded === undefined ? `${groups.slice(0, 4).map(toHex).join(':')}::/64` : toDotted(embedded)
}

/**
 * Returns a network returned by {@link toNetwork} and the networks that contain it, the widest
 * first. Providers give a customer a /56 or a /48: `2001:db8:1:203::/64` is in `2001:db8:1::/48`,
 * and there in `2001:db8:1:200::/56`.
 */
export const toNetworks = (network: string): readonly [string, ...string[]] => {
  if (!network.endsWith('::/64')) return [network]
  const groups = readGroups(network.slice(0, -'::/64'.length))
  const start = groups.slice(0, 3).map(toHex).join(':')
  return [`${start}::/48`, `${start}:${toHex((groups[3] ?? 0) & 0xff00)}::/56`, network]
}

// Some proxies write `192.0.2.1:50123` or `[2001:db8::1]:50123` into X-Forwarded-For, with a
// different port each time.
const toHost = (address: string): string => {
  const withPort = /^\[(.+)\](?::\d+)?$|^([\d.]+):\d+$/.exec(address)
  const host = withPort?.[1] ?? withPort?.[2] ?? address
  return host.replace(/%.*$/, '')
}

// Returns the eight groups of an IPv6 address.
const toGroups = (address: string): readonly number[] => {
  // The URL standard normalises every spelling: lower case, hexadecimal throughout, the longest run
  // of zeros as `::`.
  const { hostname } = new URL(`http://[${address}]`)
  const [head = '', tail] = hostname.slice(1, -1).split('::')
  const before = readGroups(head)
  const after = readGroups(tail ?? '')
  return [...before, ...new Array<number>(8 - before.length - after.length).fill(0), ...after]
}

const readGroups = (text: string): readonly number[] =>
  text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16))

const mapped = [0, 0, 0, 0, 0, 0xffff]
const translated = [0x64, 0xff9b, 0, 0, 0, 0]
const translatedStatelessly = [0, 0, 0, 0, 0xffff, 0]
const translatedLocally = [0x64, 0xff9b, 1]
const tunnelled = [0x2002]

// Returns the two groups of an embedded IPv4 address.
const findEmbedded = (groups: readonly number[]): readonly number[] | undefined => {
  if (startsWith(groups, translatedLocally)) return groups.slice(6)
  const prefix = [mapped, translated, translatedStatelessly, tunnelled].find((start) => startsWith(groups, start))
  return prefix && groups.slice(prefix.length, prefix.length + 2)
}

const startsWith = (groups: readonly number[], start: readonly number[]): boolean =>
  start.every((group, index) => group === groups[index])

const toDotted = (groups: readonly number[]): string => groups.flatMap((group) => [group >> 8, group & 0xff]).join('.')

const toHex = (group: number): string => group.toString(16)

/** Returns whether the host of a URL is this machine (W3C Secure Contexts, section 3.1). */
const isLoopback = (url: string): boolean =>
  URL.canParse(url) && /^((.+\.)?localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)

/**
 * Returns whether others can read what is sent to a URL: it has `http:`, and is of another machine.
 */
export const isPlainHttp = (url: string): boolean => url.startsWith('http:') && !isLoopback(url)
