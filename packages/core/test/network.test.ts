import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toNetwork, toNetworks } from '../src/network.js'

// The unit `binary` of fast-check takes a second to load.
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point))

describe('toNetwork', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['192.0.2.1:50123', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:0201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:0:0:1::', '2001:db8:0:0::/64'],
    ['[2001:db8::1]:50123', '2001:db8:0:0::/64'],
    ['[2001:db8::1]', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '192.0.2.1'],
    ['64:ff9b:1::192.0.2.1', '192.0.2.1'],
    ['64:ff9b:1:fffe::192.0.2.1', '192.0.2.1'],
    ['::ffff:0:192.0.2.1', '192.0.2.1'],
    ['2002:c000:201:7::1', '192.0.2.1'],
    ['2002:c000:201::', '192.0.2.1'],
    // No IPv4 address is embedded behind any other prefix.
    ['64:ff9b:2::192.0.2.1', '64:ff9b:2:0::/64'],
    ['64:ff9b:0:0:0:1:c000:201', '64:ff9b:0:0::/64'],
    ['2003:c000:201:7::1', '2003:c000:201:7::/64'],
    ['2001:db8:0:0:0:ffff:c000:201', '2001:db8:0:0::/64'],
    ['::ffff:1:192.0.2.1', '0:0:0:0::/64'],
    ['0:0:0:0:1:ffff:c000:201', '0:0:0:0::/64'],
    ['::192.0.2.1', '0:0:0:0::/64'],
    ['192.0.2.1%eth0', '192.0.2.1'],
  ])('returns, for %s, %s', (address, network) => {
    expect(toNetwork(address)).toBe(network)
  })

  it.each([
    undefined,
    '',
    'unknown',
    'localhost',
    '192.0.2',
    '192.0.2.256',
    '192.0.2.1, 192.0.2.2',
    '2001:db8',
    ':::',
    'x'.repeat(300),
    '192.0.2.1\0',
    'x192.0.2.1:50123',
    '192.0.2.1:50123x',
    'x[2001:db8::1]:50123',
    '[2001:db8::1]:50123x',
    '[2001:db8::1]:',
  ])('returns unknown for %j', (address) => {
    expect(toNetwork(address)).toBe('unknown')
  })

  it('returns one network for all addresses of a /64, and another for the next /64', () => {
    const half = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 4, maxLength: 4 })
    const write = (groups: readonly number[]): string => groups.map((group) => group.toString(16)).join(':')
    fc.assert(
      fc.property(half, half, half, ([first = 0, ...others], one, another) => {
        // Not 2002, behind which an IPv4 address is embedded.
        const prefix = [first | 0x2008, ...others]
        const next = [first | 0x2008, ...others.slice(0, 2), (others[2] ?? 0) ^ 1]
        expect(toNetwork(write([...prefix, ...one]))).toBe(toNetwork(write([...prefix, ...another])))
        expect(toNetwork(write([...prefix, ...one]))).not.toBe(toNetwork(write([...next, ...one])))
      }),
    )
  })

  it('never throws', () => {
    fc.assert(fc.property(fc.string({ unit: anyCharacter }), (address) => toNetwork(address).length > 0))
  })
})

describe('toNetworks', () => {
  it.each([
    ['2001:db8:1:2ff::/64', ['2001:db8:1::/48', '2001:db8:1:200::/56', '2001:db8:1:2ff::/64']],
    ['2001:db8:0:0::/64', ['2001:db8:0::/48', '2001:db8:0:0::/56', '2001:db8:0:0::/64']],
    ['192.0.2.1', ['192.0.2.1']],
    ['unknown', ['unknown']],
  ])('returns, for %s, %j', (network, networks) => {
    expect(toNetworks(network)).toEqual(networks)
  })
})
