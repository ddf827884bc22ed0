/** A colour such as #1a4fff. */
type Color = string

/** The contrast of two colours, from 1 to 21 (WCAG 2.2, "contrast ratio"). Text needs 4.5. */
export function contrastOf(one: Color, other: Color): number {
  const [darker = 0, lighter = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

export const leastContrast = 4.5

/** Moves a colour towards another one in small steps until it can be read on a background. */
export function readableOn(background: Color, color: Color, towards: Color): Color {
  let share = 0
  while (share < 1 && contrastOf(mix(color, towards, share), background) < leastContrast) share += 0.02
  return mix(color, towards, share)
}

export function mix(color: Color, other: Color, share: number): Color {
  const [from, to] = [channelsOf(color), channelsOf(other)]
  const mixed = from.map((channel, at) => Math.round(channel + ((to[at] ?? 0) - channel) * Math.min(1, share)))
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}

function channelsOf(color: Color): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
}

function luminanceOf(color: Color): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(color).map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
