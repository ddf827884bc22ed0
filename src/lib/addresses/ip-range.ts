/** A network of addresses: those that share its first `prefix` bits. A single address is a network of its own. */
export type IpRange = {
  readonly text: string
  readonly bits: 32 | 128
  readonly value: bigint
  readonly prefix: number
}

/** Reads "192.0.2.7", "192.0.2.0/24", "2001:db8::/32"; undefined for any other text. */
export function parseIpRange(text: string): IpRange | undefined {
  const [address = '', length, ...rest] = text.split('/')
  const bits = address.includes(':') ? 128 : 32
  const value = bits === 128 ? readIpv6(address) : readIpv4(address)
  if (value === undefined || rest.length > 0 || !/^\d{1,3}$/.test(length ?? '0')) return undefined
  const prefix = length === undefined ? bits : Number(length)
  // Callers have their IPv4 address, never this form of it: such a range would match none.
  const isMapped = bits === 128 && prefix >= 96 && value >> 32n === 0xffffn
  return prefix <= bits && !isMapped ? { text, bits, value, prefix } : undefined
}

/** Tells whether every address of one range is also in the other. */
export function isWithin(inner: IpRange, outer: IpRange): boolean {
  const ignored = BigInt(outer.bits - outer.prefix)
  return inner.bits === outer.bits && inner.prefix >= outer.prefix && inner.value >> ignored === outer.value >> ignored
}

/** Selects the addresses that are in both lists. Two ranges never overlap in part: one is within the other, or apart. */
export function intersectRanges(some: readonly IpRange[], others: readonly IpRange[]): IpRange[] {
  const inBoth = [
    ...some.filter((range) => others.some((other) => isWithin(range, other))),
    ...others.filter((range) => some.some((other) => isWithin(range, other))),
  ]
  return inBoth.filter((range, at) => inBoth.findIndex((each) => each.text === range.text) === at)
}

function readIpv4(text: string): bigint | undefined {
  const parts = text.split('.')
  // A leading zero would be octal to some programs.
  if (parts.length !== 4 || parts.some((part) => !/^(0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255))
    return undefined
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n)
}

function readIpv6(text: string): bigint | undefined {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text)
  const last = dotted ? readIpv4(dotted[2] ?? '') : undefined
  if (dotted && last === undefined) return undefined
  const tail = last === undefined ? '' : `${(last >> 16n).toString(16)}:${(last & 0xffffn).toString(16)}`
  const halves = (dotted ? `${dotted[1]}${tail}` : text).split('::').map((half) => (half === '' ? [] : half.split(':')))
  const groups = halves.flat()
  const isCut = halves.length === 2
  if (halves.length > 2 || groups.some((group) => !/^[0-9a-f]{1,4}$/i.test(group))) return undefined
  if (isCut ? groups.length > 7 : groups.length !== 8) return undefined
  const zeros = Array.from({ length: 8 - groups.length }, () => '0')
  const whole = isCut ? [...(halves[0] ?? []), ...zeros, ...(halves[1] ?? [])] : groups
  return whole.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n)
}
