// biome-ignore format: a table is read by column
const kana: Readonly<Record<string, string>> = {
  あ: 'a', い: 'i', う: 'u', え: 'e', お: 'o', か: 'ka', き: 'ki', く: 'ku', け: 'ke', こ: 'ko', さ: 'sa', し: 'shi', す: 'su', せ: 'se', そ: 'so',
  た: 'ta', ち: 'chi', つ: 'tsu', て: 'te', と: 'to', な: 'na', に: 'ni', ぬ: 'nu', ね: 'ne', の: 'no', は: 'ha', ひ: 'hi', ふ: 'fu', へ: 'he', ほ: 'ho',
  ま: 'ma', み: 'mi', む: 'mu', め: 'me', も: 'mo', や: 'ya', ゆ: 'yu', よ: 'yo', ら: 'ra', り: 'ri', る: 'ru', れ: 're', ろ: 'ro', わ: 'wa', を: 'o', ん: 'n',
  が: 'ga', ぎ: 'gi', ぐ: 'gu', げ: 'ge', ご: 'go', ざ: 'za', じ: 'ji', ず: 'zu', ぜ: 'ze', ぞ: 'zo', だ: 'da', ぢ: 'ji', づ: 'zu', で: 'de', ど: 'do',
  ば: 'ba', び: 'bi', ぶ: 'bu', べ: 'be', ぼ: 'bo', ぱ: 'pa', ぴ: 'pi', ぷ: 'pu', ぺ: 'pe', ぽ: 'po', ゔ: 'vu', ぁ: 'a', ぃ: 'i', ぅ: 'u', ぇ: 'e', ぉ: 'o',
}
const glides: Readonly<Record<string, string>> = { ゃ: 'ya', ゅ: 'yu', ょ: 'yo' }

/** Spells hiragana and katakana in Hepburn's letters, long vowels short. */
export function spellKana(text: string): string {
  const letters = Array.from(text.normalize('NFC'), (letter) =>
    /[ァ-ヶ]/.test(letter) ? String.fromCharCode(letter.charCodeAt(0) - 0x60) : letter,
  )
  let spelt = ''
  let isDoubled = false
  for (const letter of letters) {
    const glide = glides[letter]
    if (letter === 'っ') isDoubled = true
    else if (letter === 'ー') continue
    else if (glide)
      spelt = spelt.replace(
        /(sh|ch|j)?i$/,
        (_, begin: string | undefined) => (begin ?? '') + (begin ? glide.slice(1) : glide),
      )
    else {
      const sound = kana[letter] ?? letter
      spelt += isDoubled && kana[letter] ? (sound[0] ?? '') + sound : sound
      isDoubled = false
    }
  }
  return spelt.replaceAll(/([aeiou])\1/g, '$1').replaceAll(/ou(?=[^aeiou]|$)/g, 'o')
}

const surnames =
  table(`佐藤sato 鈴木suzuki 高橋takahashi 髙橋takahashi 田中tanaka 渡辺watanabe 渡邊watanabe 渡邉watanabe 伊藤ito 山本yamamoto 中村nakamura
  小林kobayashi 加藤kato 吉田yoshida 山田yamada 佐々木sasaki 山口yamaguchi 松本matsumoto 井上inoue 木村kimura 林hayashi 斎藤saito 斉藤saito 齋藤saito
  清水shimizu 山崎yamazaki/yamasaki 森mori 阿部abe 池田ikeda 橋本hashimoto 山下yamashita 石川ishikawa 中島nakajima/nakashima 前田maeda 藤田fujita
  小川ogawa 後藤goto 岡田okada 長谷川hasegawa 村上murakami 近藤kondo 石井ishii 坂本sakamoto 遠藤endo 青木aoki 藤井fujii 西村nishimura 福田fukuda
  太田ota 三浦miura 岡本okamoto 松田matsuda 中川nakagawa 中野nakano 原田harada 小野ono 田村tamura 竹内takeuchi 金子kaneko 和田wada 中山nakayama
  石田ishida 上田ueda 森田morita 原hara 柴田shibata 酒井sakai 工藤kudo 横山yokoyama 宮崎miyazaki 宮本miyamoto 内田uchida 高木takagi 安藤ando 島田shimada
  谷口taniguchi 大野ono 高田takada 丸山maruyama 今井imai 河野kono 藤本fujimoto 村田murata 武田takeda 上野ueno 杉山sugiyama 増田masuda 平野hirano
  小島kojima 千葉chiba 久保kubo 松井matsui 岩崎iwasaki 桜井sakurai 木下kinoshita 野口noguchi 松尾matsuo 野村nomura 菊地kikuchi 菊池kikuchi 佐野sano
  大塚otsuka 新井arai 杉本sugimoto 古川furukawa 浜田hamada 市川ichikawa 小松komatsu 高野takano 水野mizuno 吉川yoshikawa 山内yamauchi 西田nishida
  菅原sugawara 西川nishikawa 北村kitamura 安田yasuda 五十嵐igarashi 川口kawaguchi 平田hirata 関seki 中田nakata/nakada 久保田kubota 服部hattori 東higashi/azuma
  土屋tsuchiya 川崎kawasaki 岩田iwata 辻tsuji 本田honda 福島fukushima 秋山akiyama 吉村yoshimura 樋口higuchi 川上kawakami 永井nagai 田口taguchi 山中yamanaka
  中西nakanishi 松岡matsuoka 馬場baba 浅野asano 荒木araki 大久保okubo 矢野yano 小山koyama/oyama 野田noda 星野hoshino 大西onishi 黒田kuroda 尾崎ozaki 望月mochizuki
  松下matsushita 永田nagata 熊谷kumagai 内藤naito 松村matsumura 西山nishiyama 大橋ohashi 岡崎okazaki 堀hori 奥村okumura 早川hayakawa 片山katayama 藤原fujiwara
  篠田shinoda 高山takayama 司tsukasa 入江irie 梅本umemoto 寺岡teraoka 安倍abe 麻原asahara 重信shigenobu 岸田kishida 石破ishiba 小泉koizumi 宮沢miyazawa 三島mishima`)

const givenNames =
  table(`浩hiroshi 隆takashi/yutaka 健一kenichi 和夫kazuo 忍shinobu 清kiyoshi 武takeshi 誠makoto 明akira 実minoru 太郎taro 一郎ichiro 次郎jiro 二郎jiro
  三郎saburo 健二kenji 賢治kenji 浩二koji 茂shigeru 進susumu 正夫masao 義男yoshio 正tadashi/masashi 勇isamu 悟satoru 大輔daisuke 翔太shota 和也kazuya 直樹naoki
  剛tsuyoshi/takeshi 修osamu 光男mitsuo 秀夫hideo 裕子yuko/hiroko 恵子keiko 和子kazuko 美智子michiko 明子akiko 直子naoko 洋子yoko 雅子masako 陽斗haruto 結衣yui
  純一junichi 照夫teruo 康夫yasuo 健ken/takeshi/tsuyoshi 翔sho 蓮ren 大翔hiroto/haruto 拓也takuya 達也tatsuya 哲也tetsuya 雄一yuichi 裕一yuichi 洋一yoichi 健太kenta
  隆志takashi 孝takashi 博hiroshi 弘hiroshi 宏hiroshi 寛hiroshi 豊yutaka 昇noboru 稔minoru 勝masaru 三男mitsuo 幸雄yukio 正男masao 信夫nobuo 敏夫toshio 文雄fumio
  英樹hideki 直人naoto 智也tomoya 亮ryo 優yu/masaru 美咲misaki 愛ai 陽菜hina 由美子yumiko 由美yumi 久美子kumiko 真由美mayumi 幸子sachiko/yukiko 京子kyoko 節子setsuko
  文子fumiko 智子tomoko 陽子yoko 美穂miho 舞mai 葵aoi 房子fusako 智津夫chizuo 由紀夫yukio 晋三shinzo 純一郎junichiro 文雄fumio 茂shigeru 建市kenichi 清司kiyoshi 照男teruo
  学manabu/gaku 聡satoshi 智satoshi/tomo 徹toru 淳jun/atsushi 潤jun 仁hitoshi/jin 均hitoshi 薫kaoru 恵megumi 恵美emi 花子hanako 桜sakura 翼tsubasa 涼ryo 俊介shunsuke 健吾kengo`)

function table(text: string): ReadonlyMap<string, readonly string[]> {
  return new Map(
    text
      .trim()
      .split(/\s+/)
      .map((each) => {
        const [, kanji = '', readings = ''] = /^([^a-z]+)([a-z/]+)$/.exec(each) ?? []
        return [kanji, readings.split('/')] as const
      }),
  )
}

const maxSurname = 3

const chineseDouble =
  /^(?:欧阳|歐陽|司马|司馬|诸葛|諸葛|上官|夏侯|皇甫|尉迟|尉遲|公孙|公孫|慕容|令狐|司徒|东方|東方|独孤|獨孤|南宫|南宮|端木|宇文|长孙|長孫|轩辕|軒轅)/

/**
 * True for kana, for a Japanese family name of two characters or more, and for shapes that Chinese names do not have:
 * four characters, a blank after the second one, an ending in 子.
 */
export function looksJapanese(name: string): boolean {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}々]/u.test(name)) return true
  const [first = '', ...rest] = name.trim().split(/[\s・]+/)
  if ([2, 3].some((length) => surnames.has(first.slice(0, length)))) return true
  const letters = [first, ...rest].join('')
  if (chineseDouble.test(letters)) return false
  return letters.length > 3 || (rest.length === 1 && first.length === 2) || /..子$/.test(letters)
}

/** Reads a Japanese name in each reading that it can have; none when a part is in no table. */
export function readJapanese(name: string): string[] {
  const words = name.trim().split(/[\s・=＝]+/)
  if (words.length > 3) return []
  const [first = '', ...rest] = words
  const splits = rest.length > 0 ? [[first, rest.join('')] as const] : splitSurname(first)
  return splits.flatMap(([family, given]) =>
    readPart(family, surnames).flatMap((one) => readPart(given, givenNames).map((other) => `${one} ${other}`)),
  )
}

function splitSurname(text: string): (readonly [string, string])[] {
  return Array.from({ length: maxSurname }, (_, at) => [text.slice(0, at + 1), text.slice(at + 1)] as const).filter(
    ([family, given]) => given !== '' && surnames.has(family),
  )
}

function readPart(text: string, names: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const readings = names.get(text)
  if (readings) return readings
  return /^[\p{Script=Hiragana}\p{Script=Katakana}ー]+$/u.test(text) ? [spellKana(text)] : []
}
