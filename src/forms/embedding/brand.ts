import { mix, readableOn } from '../../organizations/contrast.ts'
import { isPlainAddress } from '../../organizations/logo-address.ts'
import type { Branding } from '../../organizations/organization.ts'

/** The look of an organization on its pages. `support`: where its customers get help. */
export type Brand = { name: string; logo: string; style: string; support: string }

/** `parent`: the origin of the page that shows this one in a frame; empty without a frame. */
export type Setting = { brand: Brand; parent: string }

/** The query that keeps a page in its frame. */
export function frameQuery(parent: string): string {
  return parent && `?parent=${encodeURIComponent(parent)}`
}

/** The darkest light background, and the lightest dark one, of web/forms/styles/base.css. */
const lightTint = '#eef3fb'
const darkTint = '#1c2738'

export function brandOf({ displayName = '', logoUrl = '', primaryColor, supportEmail = '' }: Branding): Brand {
  const style = primaryColor ? styleOf(primaryColor) : ''
  // A stored address from before this rule must not close the forms of its organization.
  const logo = isPlainAddress(logoUrl) ? logoUrl : ''
  return { name: displayName, logo, style, support: supportEmail }
}

/** Both schemes keep the contrast of text: the light one darkens the colour where needed, the dark one lightens it. */
function styleOf(color: string): string {
  const light = readableOn(lightTint, color, '#000000')
  const dark = readableOn(darkTint, color, '#ffffff')
  const rule = (accent: string, strong: string) => `:root{--accent:${accent};--accent-strong:${strong}}`
  return `${rule(light, mix(light, '#000000', 0.25))}
@media (prefers-color-scheme: dark){${rule(dark, mix(dark, '#ffffff', 0.4))}}`
}
