// Chinese characters that are common in Korean names, by their Korean reading.
const surnames =
  table(`kim金 yi李 bak朴 choe崔 jeong鄭丁 gang姜 jo趙曺 yun尹 jang張 im林任 han韓 oh吳 seo徐 sin申辛 gwon權 hwang黃 an安 song宋 ryu柳劉 hong洪 jeon全田
  go高 mun文 son孫 yang梁楊 bae裵裴 baek白 heo許 no盧魯 nam南 sim沈 ha河 gwak郭 seong成 cha車 ju朱 woo禹 gu具 min閔 jin陳秦 na羅 eom嚴 won元 cheon千 bang方 gong孔 hyeon玄
  ham咸 byeon卞邊 yeom廉 yeo呂 chu秋 do都 so蘇 seok石 seol薛 ma馬 gil吉 yeon延 wi魏 pyo表 myeong明 gi奇 ban潘 wang王 geum琴 ok玉 yuk陸 maeng孟 tak卓 guk鞠 ji池 eo魚`)
const given =
  table(`yeong永英榮泳 cheol哲鐵 jeong正貞廷 eun恩銀殷 su秀洙壽守 seong成聖星盛 il一日 gwang光廣 myeong明命 ho浩鎬虎 min民敏旻 jun俊準峻 hyeon賢鉉顯玄 woo佑宇雨
  gyeong慶京敬景 sang相尙尚 hak學鶴 chun春 nam男南 dae大泰 seok錫石碩 jin眞鎭進珍 hui熙姬喜 sun順淳純 in仁寅 gi基起紀 won元源 guk國 hyeok赫爀 dong東 chang昌 byeong炳秉 ryong龍
  ok玉 sik植 han漢 cheon天 ji智志芝 hun勳 hwan煥 il日 jae在載 jong鍾宗 ju珠柱 gu九 mi美 ja子 suk淑 a雅 yeon蓮姸 tae泰 pil弼 rak洛 hong弘洪 hwa華和 bok福 deok德 mun文 gyu圭奎 yun允潤
  seon善仙 bin彬 chan燦 geun根 gap甲 seop燮 wan完 yong勇容龍 ung雄 ik益 rim林 mu武 hae海 san山 gang江剛 cheong淸 je濟 bong鳳 man萬 sam三 pyo杓 heon憲`)

function table(text: string): ReadonlyMap<string, string> {
  return new Map(
    text
      .trim()
      .split(/\s+/)
      .flatMap((group) => {
        const [, reading = '', characters = ''] = /^([a-z]+)(.+)$/.exec(group) ?? []
        return Array.from(characters, (character) => [character, reading] as const)
      }),
  )
}

/** Reads a name of two to four characters as a Korean one; none when a character is in no table. */
export function readHanja(name: string): string[] {
  const [surname = '', ...rest] = Array.from(name.replaceAll(/\s/g, ''))
  const first = surnames.get(surname)
  if (!first || rest.length === 0 || rest.length > 2) return []
  const others = rest.map((character) => given.get(character) ?? surnames.get(character))
  return others.every((each) => each !== undefined) ? [[first, ...others].join(' ')] : []
}
