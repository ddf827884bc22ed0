import type { Random } from '../generated-list.ts'
import { chineseMen, chineseWomen, pickChineseFamily } from './chinese-names.ts'
import { compound, pickByCurve, pickDifferent, pickRanked, pickSome, pool, type Region, type Word } from './pool.ts'
import { curves } from './published-shares.ts'

const joined = (words: readonly Word[]): Word => {
  const text = words.map(({ latin }) => latin[0]!.toLowerCase()).join('')
  const apart = words.map(({ latin }) => latin[0]).join(' ')
  return {
    latin: [text[0]!.toUpperCase() + text.slice(1), apart],
    own: words.map(({ own = '' }) => own).join(''),
  }
}

/** Some hundred syllables make all names: rarer characters are read as one of them. */
const inventSyllable = (words: readonly Word[]) => (random: Random) => random.pick(words)

// One in seven has a given name of one character (Ministry of Public Security, 2019).
const oneCharacterShare = 0.14

export const chinese: Region = {
  name: 'Chinese',
  share: 5,
  gap: '',
  isFamilyFirst: true,
  make: (random, isWoman) => {
    const [words, curve] = isWoman ? [chineseWomen, curves.chineseWomen] : [chineseMen, curves.chineseMen]
    const pick = () => pickByCurve(random, words, curve, inventSyllable(words))
    return {
      given: [joined(pickDifferent(random.chance(oneCharacterShare) ? 1 : 2, pick))],
      middle: [],
      family: [pickChineseFamily(random)],
    }
  },
}

const koreanFamily =
  pool(`Kim/Gim=김 Ri/Lee/Yi/Rhee=이 Pak/Park/Bak=박 Choe/Choi=최 Jong/Jung/Jeong/Chung=정 Kang/Gang=강 Jo/Cho=조 Yun/Yoon=윤 Jang/Chang=장
  Rim/Lim/Im=임 Han=한 O/Oh=오 So/Seo/Suh=서 Sin/Shin=신 Kwon/Gwon=권 Hwang=황 An/Ahn=안 Song=송 Ryu/Yoo/Yu=류 Hong=홍 Jon/Jeon/Chun=전
  Ko/Koh/Go=고 Mun/Moon=문 Son/Sohn=손 Pae/Bae=배 Paek/Baek/Paik=백 Ho/Heo/Huh=허 No/Noh/Roh=노 Nam=남 Sim/Shim=심 Kwak/Gwak=곽 Cha=차 Chu/Joo=주`)
const koreanSyllables =
  pool(`Yong/Young/Yeong=영 Chol/Cheol/Chul=철 Jong/Jung/Jeong=정 Un/Eun=은 Su/Soo=수 Song/Sung/Seong=성 Il=일 Kwang/Gwang=광 Myong/Myung/Myeong=명
  Ho=호 Min=민 Jun/Joon=준 Hyon/Hyun/Hyeon=현 U/Woo=우 Kyong/Kyung/Gyeong=경 Sang=상 Hak=학 Chun=춘 Nam=남 Tae/Dae=대 Sok/Seok/Suk=석 Jin=진
  Hui/Hee=희 Sun/Soon=순 In=인 Ki/Gi=기 Won=원 Kuk/Guk=국 Hyok/Hyuk/Hyeok=혁 Tong/Dong=동 Chang=창 Pyong/Byung/Byeong=병 Ryong/Yong=룡 Ok=옥 Sik/Shik=식`)

/** Chooses the same spelling for each syllable: as listed, or in another system. */
const korean1 = (first: Word, second: Word): Word => {
  const count = Math.max(first.latin.length, second.latin.length)
  const spell = (at: number) => [first, second].map(({ latin }) => latin[at] ?? latin.at(-1)!)
  return {
    latin: Array.from({ length: count }, (_, at) => spell(at)).flatMap(([one = '', two = '']) => [
      `${one} ${two}`,
      `${one}-${two.toLowerCase()}`,
      `${one}${two.toLowerCase()}`,
    ]),
    own: `${first.own}${second.own}`,
  }
}

export const korean: Region = {
  name: 'Korean',
  share: 3,
  gap: '',
  isFamilyFirst: true,
  make: (random) => {
    const [first, second] = pickSome(random, koreanSyllables, 2)
    return { given: [korean1(first!, second!)], middle: [], family: [pickRanked(random, koreanFamily)] }
  },
}

const japaneseFamily =
  pool(`Sato/Satou/Satoh=佐藤 Suzuki=鈴木 Takahashi=高橋 Tanaka=田中 Watanabe=渡辺 Ito/Itou/Itoh=伊藤 Yamamoto=山本 Nakamura=中村 Kobayashi=小林
  Kato/Katou/Katoh=加藤 Yoshida=吉田 Yamada=山田 Sasaki=佐々木 Yamaguchi=山口 Matsumoto=松本 Inoue/Inouye=井上 Kimura=木村 Hayashi=林
  Shimizu=清水 Yamazaki=山崎 Mori=森 Abe=阿部 Ikeda=池田 Hashimoto=橋本 Ishikawa=石川 Ogawa=小川 Okada=岡田 Hasegawa=長谷川 Goto/Gotou=後藤
  Murakami=村上 Kondo/Kondou=近藤 Sakamoto=坂本 Endo/Endou=遠藤 Aoki=青木 Fujita=藤田 Nishimura=西村 Fukuda=福田 Ota/Oota/Ohta=太田 Miura=三浦
  Okamoto=岡本 Matsuda=松田 Nakajima=中島 Fujiwara=藤原 Ono=小野 Tamura=田村 Takeuchi=竹内 Kaneko=金子 Wada=和田 Nakayama=中山 Ishida=石田
  Tsukasa=司 Shinoda=篠田 Takayama=高山 Kudo/Kudou=工藤 Seki=関 Irie=入江 Uchida=内田 Umemoto=梅本`)
const japaneseGiven =
  pool(`Hiroshi=浩 Takashi=隆 Kenichi=健一 Kazuo=和夫 Shinobu=忍 Kiyoshi=清 Takeshi=武 Makoto=誠 Akira=明 Minoru=実 Taro/Tarou=太郎
  Ichiro/Ichirou=一郎 Jiro/Jirou=次郎 Kenji=健二 Koji/Kouji=浩二 Shigeru=茂 Susumu=進 Masao=正夫 Yoshio=義男 Tadashi=正 Isamu=勇 Satoru=悟
  Daisuke=大輔 Shota/Shouta=翔太 Kazuya=和也 Naoki=直樹 Tsuyoshi=剛 Osamu=修 Mitsuo=光男 Hideo=秀夫 Haruto=陽斗 Junichi/Jun'ichi=純一
  Teruo=照夫 Yasuo=康夫 Toshio=敏夫 Kazuhiro=和弘 Hiroyuki=弘之 Yoshihiro=義弘 Masahiro=正弘 Nobuo=信夫 Shoji/Shouji=昭二 Yutaka=豊 Manabu=学 Satoshi=聡`)
const japaneseWomen =
  pool(`Yuko/Yuuko=裕子 Keiko=恵子 Kazuko=和子 Michiko=美智子 Akiko=明子 Naoko=直子 Yoko/Youko=洋子 Masako=雅子 Yui=結衣 Sachiko=幸子 Yoshiko=良子
  Tomoko=智子 Kumiko=久美子 Mayumi=真由美 Hiroko=弘子 Noriko=典子 Toshiko=敏子 Junko=順子 Emiko=恵美子 Aya=彩 Megumi=恵 Kaori=香織`)

// Less common ones, some of which no table can hold.
const japaneseRare =
  pool(`Kuramoto=倉本 Asakawa=浅川 Nagasawa=長澤 Hirabayashi=平林 Tokunaga=徳永 Shirakawa=白川 Minamoto=源 Kamiya=神谷 Isobe=磯部 Tachibana=立花
  Kusunoki=楠 Yanagida=柳田 Segawa=瀬川 Ninomiya=二宮 Otani/Ohtani=大谷 Haneda=羽田 Fukazawa=深沢 Iwamoto=岩本 Kanemaru=金丸 Usui=臼井
  Hosokawa=細川 Amano=天野 Kirishima=霧島 Nagumo=南雲 Ashikaga=足利 Sonoda=園田 Tsuruta=鶴田 Orihara=折原 Kaneshiro=金城 Miyagi=宮城`)
const [japaneseHeads, japaneseTails] = [
  pool(`Naga=長 Taka=高 Naka=中 Fuji=藤 Kita=北 Nishi=西 Minami=南 Oka=岡 Matsu=松 Sugi=杉 Ume=梅 Take=竹 Ishi=石 Iwa=岩 Kuro=黒 Shira=白 Aka=赤 Ao=青
    Hama=浜 Mizu=水 Tani=谷 Kawa=川 Mori=森 Yama=山 Mura=村 Ike=池 Miya=宮 Furu=古`),
  pool(
    `da=田 yama=山 kawa=川 mura=村 moto=本 no=野 hara=原 saki/zaki=崎 shima=島 ura=浦 zawa/sawa=沢 guchi=口 i=井 o=尾 uchi=内 ki=木`,
  ),
]

export const japanese: Region = {
  name: 'Japanese',
  share: 2,
  gap: ' ',
  isFamilyFirst: true,
  make: (random, isWoman) => ({
    given: [pickRanked(random, isWoman ? japaneseWomen : japaneseGiven)],
    middle: [],
    family: [
      random.chance(0.35)
        ? pickRanked(random, japaneseFamily)
        : random.chance(0.2)
          ? random.pick(japaneseRare)
          : compound(random, japaneseHeads, japaneseTails),
    ],
  }),
}
