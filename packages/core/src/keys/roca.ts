// Small primes modulo which the powers of 65537 are not all remainders. Other moduli have this pattern once in 2^27 keys.
const primes = [11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157]

/** Returns the powers of 65537 modulo a prime. */
const powersModulo = (prime: number): ReadonlySet<number> => {
  const powers = new Set<number>()
  for (let power = 1; !powers.has(power); power = (power * 65_537) % prime) powers.add(power)
  return powers
}

const fingerprint = primes.map((prime) => ({ prime, powers: powersModulo(prime) }))

/**
 * Returns whether an RSA modulus is from the generator of CVE-2017-15361, whose primes are powers of 65537 modulo small primes
 * and can be factored (Nemec et al., "The Return of Coppersmith's Attack", 2017, section 2.3).
 */
export const isRocaModulus = (modulus: bigint): boolean =>
  fingerprint.every(({ prime, powers }) => powers.has(Number(modulus % BigInt(prime))))
