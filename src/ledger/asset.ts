/** An asset is a text: `USD` for money at a bank, `USDC/BASE` for a token. One token on two networks is two assets. */
export type Asset = string

export function assetOf(currency: string, network?: string): Asset {
  return network === undefined ? currency : `${currency}/${network}`
}

export function readAsset(asset: string): { currency: string; network: string | undefined } {
  const [currency = '', network] = asset.split('/')
  return { currency, network }
}
