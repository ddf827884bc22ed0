import { BlockList, isIP } from 'node:net'
import { expect, test } from 'vitest'
import { type IpRange, intersectRanges, isWithin, parseIpRange } from './ip-range.ts'

const ranges = (texts: readonly string[]) =>
  texts.map((text) => parseIpRange(text)).filter((range) => range !== undefined)

test.each(['192.0.2.7', '0.0.0.0/0', '10.1.2.3/8', '::', '::1', '2001:db8::/32', '1:2:3:4:5:6:7:8', '::ffff:0:0/95'])(
  '%s is a range',
  (text) => expect(parseIpRange(text)).toMatchObject({ text }),
)

test.each([
  '',
  '::ffff:192.0.2.1',
  '::ffff:0:0/96',
  'office',
  '300.1.1.1',
  '1.2.3',
  '1.2.3.4.5',
  '01.2.3.4',
  '10.0.0.0/33',
  '10.0.0.0/8/8',
  '10.0.0.0/',
  ':::',
  '1::2::3',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8::',
  '::/129',
  'fe80::1%eth0',
  '::1.2.3',
])('%o is no range', (text) => expect(parseIpRange(text)).toBeUndefined())

// biome-ignore format: a table is read by column
test.each<[string[], string[], string[]]>([
  [['10.0.0.0/8'],              ['10.1.0.0/16'],             ['10.1.0.0/16']],
  [['10.1.0.0/16'],             ['10.0.0.0/8'],              ['10.1.0.0/16']],
  [['10.1.0.0/16'],             ['10.2.0.0/16'],             []],
  [['10.1.0.0/16', '192.0.2.7'], ['10.1.2.3', '192.0.2.0/24'], ['192.0.2.7', '10.1.2.3']],
  [['192.0.2.7'],               ['192.0.2.7'],               ['192.0.2.7']],
  [['2001:db8::/32'],           ['2001:db8:1::/48', '::1'],  ['2001:db8:1::/48']],
  [['0.0.0.0/0'],               ['2001:db8::1'],             []],
])('%o and %o have %o in common', (some, others, common) => {
  expect(intersectRanges(ranges(some), ranges(others)).map(({ text }) => text)).toEqual(common)
})

test('an address is within a range exactly when Node.js says so', () => {
  const networks = ['10.0.0.0/8', '10.1.2.3/31', '192.0.2.128/25', '0.0.0.0/0', '2001:db8::/33', '::/0', 'fe80::1/127']
  const addresses = [
    '10.0.0.1',
    '10.1.2.2',
    '10.1.2.4',
    '192.0.2.127',
    '192.0.2.128',
    '2001:db8:7fff::',
    '2001:db8:8000::',
    'fe80::',
    'fe80::2',
  ]
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    const list = new BlockList()
    list.addSubnet(address, Number(prefix), isIP(address) === 6 ? 'ipv6' : 'ipv4')
    // Node.js also finds an IPv4 address within a range of IPv6, by its mapped form. Svc keeps the two apart.
    for (const each of addresses.filter((one) => isIP(one) === isIP(address))) {
      const isInside = isWithin(parseIpRange(each) as IpRange, parseIpRange(network) as IpRange)
      expect([each, network, isInside]).toEqual([each, network, list.check(each, isIP(each) === 6 ? 'ipv6' : 'ipv4')])
    }
  }
})
