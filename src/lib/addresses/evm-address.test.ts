import { expect, test } from 'vitest'
import { checksumEvmAddress, hasValidChecksumCase, isEvmAddress } from './evm-address.ts'

// The first eight are the examples of EIP-55; the rest are known contracts and accounts.
test.each([
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
  '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
])('%s has a valid checksum', (address) => {
  expect(isEvmAddress(address)).toBe(true)
  expect(checksumEvmAddress(address.toLowerCase())).toBe(address)
  expect(checksumEvmAddress(`0x${address.slice(2).toUpperCase()}`)).toBe(address)
  for (const spelling of [address, address.toLowerCase(), `0x${address.slice(2).toUpperCase()}`]) {
    expect(hasValidChecksumCase(spelling)).toBe(true)
  }
})

test('one letter in the wrong case is detected at any position', () => {
  const address = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
  for (let place = 2; place < address.length; place++) {
    const letter = address[place] as string
    const swapped = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()
    if (swapped === letter) continue
    expect(hasValidChecksumCase(address.slice(0, place) + swapped + address.slice(place + 1))).toBe(false)
  }
})

test.each([
  '',
  '0x',
  '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0X5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAedd',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeg',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed\n',
  ' 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  'vitalik.eth',
])('%j is not an address', (text) => {
  expect(isEvmAddress(text)).toBe(false)
})
