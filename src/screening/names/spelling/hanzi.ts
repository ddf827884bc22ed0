// Chinese characters that are common in names, by their reading in names (单 is Shan, 曾 Zeng). A name with another
// character is unreadable: it cannot be compared with a list in Latin letters.
const readings = `
  an安 ao敖 bai白柏 ban班 bao包鲍宝保 bei贝蓓 ben本 bi毕碧 bian卞边 bin斌彬滨宾 bing冰炳兵 bo波博伯 bu卜步 cai蔡才彩 cao曹 cen岑
  chang常昌长 chao超朝潮 che车 chen陈晨辰沉 cheng程成城诚承 chi池 chong崇 chu褚楚储初 chuan川传 chun春纯 cong丛聪从 cui崔翠 da大达
  dai戴代 dan丹旦 dang党 de德 deng邓登 di狄迪 ding丁定 dong董东冬栋 dou窦 du杜 duan段 e鄂 en恩 er尔 fan范樊凡帆 fang方房芳
  fei费飞菲 fen芬 feng冯封峰锋凤丰风 fu傅符付富福甫 gan甘 gang刚钢 gao高 ge葛戈歌 geng耿 gong龚宫公 gou苟 gu顾古谷 guan关管冠
  guang广光 gui桂贵 guo郭国果 hai海 han韩汉涵寒 hang杭航 hao郝浩昊豪好 he何贺和禾赫河荷 hong洪红宏弘鸿 hou侯 hu胡虎湖 hua华花化
  huai怀 huan欢环焕 huang黄煌 hui惠辉慧会晖 huo霍 ji季纪吉姬继济 jia贾家佳嘉甲 jian简建健剑坚 jiang江姜蒋将 jiao焦娇 jie杰洁捷
  jin金靳晋锦进瑾 jing景静晶京敬井 jiong炯 ju鞠居菊 juan娟 jun军君俊峻钧 kai凯开 kang康 ke柯克科可 kong孔 kuang匡邝 kun坤昆 lai赖来
  lan兰蓝岚 lang郎 lao劳 le乐 lei雷磊蕾 leng冷 li李黎厉利丽莉立力理礼 lian连莲廉 liang梁良亮 liao廖 lin林琳霖临 ling凌玲灵岭
  liu刘柳六 long龙隆 lou娄楼 lu陆卢鲁路吕禄璐 luan栾 lun伦 luo罗骆洛 ma马麻 mai麦 man满曼 mao毛茅茂 mei梅美 meng孟蒙梦萌 mi米
  miao苗 min闵民敏 ming明铭鸣名 mo莫墨 mu穆木牧慕 na娜 nan南楠 ni倪妮 nie聂 ning宁 niu牛 ou欧 pan潘盘 pang庞 pei裴培佩沛 peng彭鹏朋
  pi皮 ping平萍 pu蒲朴 qi齐戚祁琪奇启琦 qian钱千倩谦 qiang强 qiao乔巧 qin秦琴勤 qing青清庆晴卿 qiu邱秋丘 qu曲屈瞿 quan全权泉 que阙
  ran冉然 rao饶 ren任仁人 rong荣容蓉 rou柔 ru茹如 ruan阮 rui芮瑞睿锐 run润 sai赛 san三 sha沙莎 shan单山珊善 shang尚商 shao邵少绍
  she佘 shen沈申慎 sheng盛生胜升 shi石史施时世诗实士 shou寿 shu舒书淑树 shuai帅 shuang双爽 shui水 shun顺 si司思斯四 song宋松 su苏素
  sui隋岁 sun孙 tai太泰 tan谭谈 tang唐汤棠 tao陶涛桃 teng滕腾 tian田天 tie铁 ting婷庭廷 tong童佟彤同桐 tu涂屠 wan万婉 wang王汪旺望
  wei魏韦卫伟威维薇巍玮 wen温文闻雯 weng翁 wu吴武伍邬五 xi席奚西喜希熙曦 xia夏霞 xian冼先贤娴宪 xiang向项香祥翔湘 xiao肖萧小晓孝笑
  xie谢解 xin辛新欣鑫心昕 xing邢星兴幸 xiong熊雄 xiu秀修 xu徐许胥旭 xuan宣轩萱璇 xue薛雪学 xun荀勋 ya亚雅 yan颜严闫燕言岩艳彦妍炎
  yang杨阳羊洋扬 yao姚瑶尧耀 ye叶业 yi易伊益一义艺怡逸毅仪宜 yin尹殷银印 ying应英莹颖迎 yong雍永勇 you尤游友 yu于余俞虞喻宇玉雨语瑜昱裕
  yuan袁元远媛源苑 yue岳月悦越 yun云运芸 zai再 zan昝 zang臧 ze泽 zeng曾增 zha查 zhai翟 zhan詹展占 zhang张章彰 zhao赵兆昭 zhe哲喆
  zhen甄振真珍贞镇 zheng郑正政 zhi支志智芝知致之 zhong钟仲忠中 zhou周舟洲 zhu朱祝竹珠柱 zhuang庄 zhuo卓 zi子紫自 zong宗 zou邹 zu祖 zuo左佐`

// biome-ignore format: a table is read by column
const traditional: Readonly<Record<string, string>> = {
  陳: '陈', 張: '张', 劉: '刘', 楊: '杨', 黃: '黄', 趙: '赵', 吳: '吴', 孫: '孙', 馬: '马', 葉: '叶', 蘇: '苏', 鄭: '郑', 謝: '谢', 許: '许',
  鄧: '邓', 馮: '冯', 蔣: '蒋', 羅: '罗', 國: '国', 華: '华', 東: '东', 龍: '龙', 偉: '伟', 強: '强', 麗: '丽', 軍: '军', 傑: '杰', 曉: '晓',
  賢: '贤', 學: '学', 澤: '泽', 錢: '钱', 韓: '韩', 盧: '卢', 蕭: '萧', 鍾: '钟', 鐘: '钟', 賴: '赖', 閻: '闫', 嚴: '严', 呂: '吕', 陸: '陆',
  莊: '庄', 顧: '顾', 龔: '龚', 賈: '贾', 鄒: '邹', 陽: '阳', 銘: '铭', 輝: '辉', 慶: '庆', 義: '义', 愛: '爱', 靜: '静', 寶: '宝', 榮: '荣',
}

const readingOf: ReadonlyMap<string, string> = new Map(
  readings
    .trim()
    .split(/\s+/)
    .flatMap((group) => {
      const [, reading = '', characters = ''] = /^([a-z]+)(.+)$/.exec(group) ?? []
      return Array.from(characters, (character) => [character, reading] as const)
    }),
)

/** Replaces each known character by its reading, as a word of its own. */
export function spellHanzi(text: string): string {
  if (!/\p{Script=Han}/u.test(text)) return text
  return Array.from(text, (character) => {
    const reading = readingOf.get(traditional[character] ?? character)
    return reading ? ` ${reading} ` : character
  }).join('')
}
