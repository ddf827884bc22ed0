/** Tells whether an address can be loaded, and has an origin that can stand in the header of a page. */
export function isPlainAddress(address: string): boolean {
  return URL.canParse(address) && /^https:\/\/[a-z0-9.-]+(:\d{1,5})?$/.test(new URL(address).origin)
}
